int *p;
BEGIN { trace(p + p); }
