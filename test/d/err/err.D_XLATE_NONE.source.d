struct s { int m; };
translator struct s < int x > { m = x; };
BEGIN { trace(xlate < struct s > ("a").m); }
