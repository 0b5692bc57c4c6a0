struct s { int m; } s;
BEGIN { trace(s->m); }
