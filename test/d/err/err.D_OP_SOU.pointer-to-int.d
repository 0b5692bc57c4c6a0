int *p;
BEGIN { trace(p->m); }
