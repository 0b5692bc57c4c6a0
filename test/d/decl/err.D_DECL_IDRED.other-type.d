/* The same name with another type. */
int x; long x;
BEGIN { trace(1); }
