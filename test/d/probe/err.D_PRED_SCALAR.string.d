dtrace:::BEGIN /execname/ { trace(1); }
