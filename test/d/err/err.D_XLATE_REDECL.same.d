struct s { int m; };
translator struct s < int x > { m = x; };
translator struct s < int y > { m = y; };
