struct nosuch *p;
BEGIN { trace(p[1]); }
