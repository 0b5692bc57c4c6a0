unsigned struct s { int m; } x;
