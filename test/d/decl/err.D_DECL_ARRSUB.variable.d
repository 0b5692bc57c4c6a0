/* The size is a constant. */
struct s { int a[pid]; };
BEGIN { trace(1); }
