dtrace:::BEGIN { if (execname) { trace(1); } }
