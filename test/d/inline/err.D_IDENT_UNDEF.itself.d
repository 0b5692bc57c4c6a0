inline int f[int a] = f[a];
dtrace:::BEGIN { trace(f[1]); }
