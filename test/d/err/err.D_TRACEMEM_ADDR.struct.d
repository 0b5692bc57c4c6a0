struct s { int m; } s;
BEGIN { tracemem(s, 4); }
