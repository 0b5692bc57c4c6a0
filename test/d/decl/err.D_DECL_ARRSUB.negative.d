/* An array has a positive size. */
int a[-1];
BEGIN { trace(1); }
