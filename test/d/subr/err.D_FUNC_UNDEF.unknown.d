dtrace:::BEGIN { trace(nosuch(1)); }
