inline int f[int a, int b] = a + b;
dtrace:::BEGIN { trace(f[1]); }
