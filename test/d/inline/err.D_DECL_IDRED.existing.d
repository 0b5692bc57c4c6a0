inline int pid = 3;
dtrace:::BEGIN { }
