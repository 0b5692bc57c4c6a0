inline int f[int x] = x;
BEGIN { trace(x); }
