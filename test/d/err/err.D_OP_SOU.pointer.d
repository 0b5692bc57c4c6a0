struct s { int m; } *p;
BEGIN { trace(p.m); }
