struct s { int m; };
struct s { int m; };
