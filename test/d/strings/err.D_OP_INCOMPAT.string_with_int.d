dtrace:::BEGIN { trace(execname == 1); }
