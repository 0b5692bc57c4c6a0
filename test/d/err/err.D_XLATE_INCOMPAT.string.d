struct s { int m; };
translator struct s < int x > { m = "a"; };
BEGIN { trace(xlate < struct s > (1).m); }
