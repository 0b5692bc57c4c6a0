/* Members: the offset is added, the load has the member's size and sign. */
struct s { char c; unsigned char uc; short h; unsigned short uh; int w; unsigned int uw; long x; struct { int in; } n; char text[8]; int a[4]; };
BEGIN { trace(((struct s *)arg0)->c); trace(((struct s *)arg0)->uc); trace(((struct s *)arg0)->h); trace(((struct s *)arg0)->uh); }
BEGIN { trace(((struct s *)arg0)->w); trace(((struct s *)arg0)->uw); trace(((struct s *)arg0)->x); trace(((struct s *)arg0)->n.in); }
BEGIN { trace(((struct s *)arg0)->text); trace(((struct s *)arg0)->a[2]); trace(((struct s *)arg0)->a[arg1]); }
