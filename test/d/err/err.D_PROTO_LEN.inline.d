inline int f[int x] = x;
BEGIN { trace(f[1, 2]); }
