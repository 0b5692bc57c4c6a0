BEGIN { trace("a
b"); }
