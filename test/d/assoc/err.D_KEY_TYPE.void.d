int a[int];
dtrace:::BEGIN { b[(void)1] = 2; }
