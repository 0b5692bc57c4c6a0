/* -> needs a pointer. */
struct s { int a; };
struct s g;
BEGIN { trace(g->a); }
