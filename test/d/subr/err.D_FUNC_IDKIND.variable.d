dtrace:::BEGIN { trace(pid(1)); }
