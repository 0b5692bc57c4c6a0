BEGIN { trace(pid ? "a" : 2); }
