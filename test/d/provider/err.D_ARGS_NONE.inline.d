inline int x = args[0];
dtrace:::BEGIN { }
