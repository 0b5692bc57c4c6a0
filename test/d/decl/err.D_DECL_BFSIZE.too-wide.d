/* Not more bits than its type. */
struct s { int a:33; };
BEGIN { trace(1); }
