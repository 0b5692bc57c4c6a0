extern int f(int a[int]);
BEGIN { }
