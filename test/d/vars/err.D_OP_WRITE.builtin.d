dtrace:::BEGIN { pid = 1; }
