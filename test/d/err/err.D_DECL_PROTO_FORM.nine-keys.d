int a[int, int, int, int, int, int, int, int, int];
