dtrace:::BEGIN { trace(lltostr("x")); }
