/* No member of type void. */
struct s { void v; };
BEGIN { trace(1); }
