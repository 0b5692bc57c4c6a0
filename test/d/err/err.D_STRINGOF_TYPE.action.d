BEGIN { x = stringof(trace(1)); }
