int a[int x];
