struct s { int m; };
translator struct s < int x > { m = x; };
BEGIN { p = xlate < struct s * > (1); }
