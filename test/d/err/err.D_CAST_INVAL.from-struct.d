struct s { int m; } s;
BEGIN { trace((int)s); }
