extern int f(void x);
BEGIN { }
