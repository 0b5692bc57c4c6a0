/* sizeof and offsetof are constants. */
struct s { char c; long l; int a[3]; };
BEGIN { trace(sizeof (struct s) * 10 + offsetof(struct s, a)); }
