struct s { int m; } s;
struct t { int m; } t;
BEGIN { s = t; }
