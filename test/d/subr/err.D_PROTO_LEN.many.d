dtrace:::BEGIN { trace(strlen("a", "b")); }
