struct s { int m; };
translator struct s < int x > { n = x; };
