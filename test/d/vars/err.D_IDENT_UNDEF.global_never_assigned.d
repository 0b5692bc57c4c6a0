dtrace:::BEGIN { trace(nothing); }
