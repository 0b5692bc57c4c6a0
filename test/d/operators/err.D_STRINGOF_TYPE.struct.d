/* A struct is no string. */
struct s { int a; };
BEGIN { trace(stringof(*(struct s *)8)); }
