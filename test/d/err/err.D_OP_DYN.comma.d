struct s { int m; };
translator struct s < int x > { m = x; };
BEGIN { x = (1, xlate < struct s * > (1)); }
