struct s { int first; } s;
BEGIN { trace(s.frist); }
