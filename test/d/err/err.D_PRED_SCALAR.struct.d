struct s { int m; } s;
BEGIN /s/ { trace(1); }
