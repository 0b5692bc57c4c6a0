int x;
struct s { int m:x; };
