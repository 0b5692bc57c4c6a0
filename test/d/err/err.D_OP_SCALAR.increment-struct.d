struct s { int m; } s;
BEGIN { ++s; }
