BEGIN { x[1]] = 1; }
