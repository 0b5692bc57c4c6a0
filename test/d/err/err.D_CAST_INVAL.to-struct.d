struct s { int m; };
BEGIN { trace((struct s)1); }
