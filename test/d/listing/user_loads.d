/* Loads through userland pointers are uld*. */
struct s { int w; char *p; };
BEGIN { trace(*(userland int *)arg0); trace(((userland struct s *)arg0)->w); trace(((userland struct s *)arg0)->p); }
