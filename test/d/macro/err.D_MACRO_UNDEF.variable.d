dtrace:::BEGIN { trace($nosuch); }
