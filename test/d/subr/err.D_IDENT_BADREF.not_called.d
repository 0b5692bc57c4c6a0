dtrace:::BEGIN { trace(strlen); }
