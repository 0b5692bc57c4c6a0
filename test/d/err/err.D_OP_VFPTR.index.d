void *p;
BEGIN { trace(p[0]); }
