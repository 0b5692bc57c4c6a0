/* No variable of type void. */
void x;
BEGIN { trace(1); }
