/* -> needs a pointer to a struct. */
BEGIN { trace(((int *)8)->a); }
