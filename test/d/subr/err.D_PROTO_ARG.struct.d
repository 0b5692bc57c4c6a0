struct s { int x; };
struct s v;
dtrace:::BEGIN { trace(strlen(v)); }
