struct s { int m; };
BEGIN { trace(xlate < struct s > (1).m); }
