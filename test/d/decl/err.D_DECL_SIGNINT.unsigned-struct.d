/* No unsigned struct. */
struct s { int a; };
unsigned struct s x;
BEGIN { trace(1); }
