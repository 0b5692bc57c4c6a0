/* A named bit-field has a width. */
struct s { int a:0; };
BEGIN { trace(1); }
