/* Different structs do not mix. */
struct s { int a; }; struct t { int a; };
struct s g;
BEGIN { g = *(struct t *)8; }
