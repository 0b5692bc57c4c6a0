inline int a[3] = 1;
