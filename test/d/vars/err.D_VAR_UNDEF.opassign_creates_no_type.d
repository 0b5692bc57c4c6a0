dtrace:::BEGIN { x += 1; }
