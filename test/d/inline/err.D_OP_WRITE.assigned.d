inline int x = 1;
dtrace:::BEGIN { x = 2; }
