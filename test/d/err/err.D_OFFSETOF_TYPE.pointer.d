struct s { int m; };
BEGIN { trace(offsetof(struct s *, m)); }
