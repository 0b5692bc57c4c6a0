dtrace:::BEGIN { trace(x); }
dtrace:::BEGIN { x = 1; }
