/* No unsigned void. */
unsigned void *x;
BEGIN { trace(1); }
