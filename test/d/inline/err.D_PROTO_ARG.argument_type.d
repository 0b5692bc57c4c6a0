inline int f[int a] = a;
dtrace:::BEGIN { trace(f["x"]); }
