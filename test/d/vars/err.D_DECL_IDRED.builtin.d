int pid;
dtrace:::BEGIN { }
