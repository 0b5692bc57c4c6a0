struct s { int m; };
translator struct s < int x > { m = x; };
BEGIN { a[xlate < struct s * > (1)] = 1; }
