/* A member that is not there. */
struct s { int a; };
BEGIN { trace(((struct s *)8)->b); }
