struct s { int m:3; } s;
BEGIN { trace(sizeof (s.m)); }
