struct s { int m; };
translator struct s < int x > { m = "a"; };
