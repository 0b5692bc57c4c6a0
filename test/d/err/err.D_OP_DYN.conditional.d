struct s { int m; };
translator struct s < int x > { m = x; };
BEGIN { x = pid ? xlate < struct s * > (1) : NULL; }
