struct nosuch *p;
BEGIN { trace(p->m); }
