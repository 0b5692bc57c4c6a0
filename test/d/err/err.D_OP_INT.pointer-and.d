int *p;
BEGIN { trace(p & 1); }
