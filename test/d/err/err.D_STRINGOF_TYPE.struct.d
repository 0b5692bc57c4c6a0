struct s { int m; } s;
BEGIN { trace(stringof(s)); }
