struct s { int m; } s;
BEGIN { trace(s.1); }
