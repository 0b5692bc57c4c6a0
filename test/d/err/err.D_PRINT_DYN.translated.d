struct s { int m; };
translator struct s < int x > { m = x; };
BEGIN { print(xlate < struct s * > (1)); }
