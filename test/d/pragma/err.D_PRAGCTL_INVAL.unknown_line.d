#nosuch
dtrace:::BEGIN { }
