int a[int];
int a[string];
dtrace:::BEGIN { }
