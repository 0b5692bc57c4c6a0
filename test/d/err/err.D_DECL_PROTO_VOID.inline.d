inline int f[void x] = 1;
