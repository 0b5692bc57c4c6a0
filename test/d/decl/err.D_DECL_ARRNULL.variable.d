/* A variable's array has a size. */
int a[];
BEGIN { trace(1); }
