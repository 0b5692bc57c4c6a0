dtrace:::BEGIN { trace(!execname); }
