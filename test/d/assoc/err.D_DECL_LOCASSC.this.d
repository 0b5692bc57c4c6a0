this int a[int];
dtrace:::BEGIN { }
