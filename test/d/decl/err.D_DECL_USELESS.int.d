/* A declaration that declares nothing. */
int;
BEGIN { trace(1); }
