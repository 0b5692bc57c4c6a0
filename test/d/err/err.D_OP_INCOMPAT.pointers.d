int *p;
char *q;
BEGIN { p = q; }
