struct s { int m:3; };
BEGIN { trace(offsetof(struct s, m)); }
