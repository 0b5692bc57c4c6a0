int a[2];
int b[2];
dtrace:::BEGIN { a = b; }
