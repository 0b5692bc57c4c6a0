/* static has no meaning for a variable. */
static int x;
BEGIN { trace(1); }
