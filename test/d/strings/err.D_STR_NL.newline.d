dtrace:::BEGIN { trace("a
b"); }
