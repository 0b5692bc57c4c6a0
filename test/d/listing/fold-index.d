/* A constant index is scaled by the compiler. */
struct s { int a; int b[4]; };
BEGIN { trace(((struct s *)0x1000)->b[1 + 1]); }
