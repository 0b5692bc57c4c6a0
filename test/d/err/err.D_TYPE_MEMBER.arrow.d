struct s { int first; } *p;
BEGIN { trace(p->second); }
