dtrace:::BEGIN { trace($1); }
