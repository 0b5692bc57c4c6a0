struct s { void m; };
