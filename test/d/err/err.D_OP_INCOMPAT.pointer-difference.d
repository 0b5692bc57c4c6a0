int *p;
char *q;
BEGIN { trace(p - q); }
