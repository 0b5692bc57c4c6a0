struct s { int first; };
BEGIN { trace(offsetof(struct s, second)); }
