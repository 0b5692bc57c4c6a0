/* A member has a name. */
struct s { int; };
BEGIN { trace(1); }
