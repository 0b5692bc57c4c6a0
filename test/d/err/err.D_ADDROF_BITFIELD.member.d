struct s { int m:3; } *p;
BEGIN { trace(&p->m); }
