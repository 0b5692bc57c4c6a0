BEGIN { x = progenyof(trace(1), 2); }
