inline int f[] = 1;
dtrace:::BEGIN { }
