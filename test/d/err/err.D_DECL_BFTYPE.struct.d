struct t { int x; };
struct s { struct t m:3; };
