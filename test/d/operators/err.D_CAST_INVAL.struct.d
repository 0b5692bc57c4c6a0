/* A struct is cast to nothing else. */
struct s { int a; };
BEGIN { trace((int)*(struct s *)8); }
