/* Declarations have no initialisers. */
int x = 1;
BEGIN { trace(1); }
