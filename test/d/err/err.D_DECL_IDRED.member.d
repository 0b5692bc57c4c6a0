struct s { int m; int m; };
