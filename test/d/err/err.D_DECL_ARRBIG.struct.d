struct s { int a[4000000000]; int b[4000000000]; };
struct t { struct s a[4000000000]; };
