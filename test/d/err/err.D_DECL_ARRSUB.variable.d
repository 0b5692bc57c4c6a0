int x;
int a[x];
