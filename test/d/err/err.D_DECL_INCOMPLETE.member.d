struct s { struct nosuch m; };
