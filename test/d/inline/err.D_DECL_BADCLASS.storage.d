inline static int x = 1;
dtrace:::BEGIN { }
