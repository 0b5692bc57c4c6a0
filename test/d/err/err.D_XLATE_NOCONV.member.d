struct s { int m; int n; };
translator struct s < int x > { m = x; };
BEGIN { trace(xlate < struct s > (1).n); }
