/* Assigning a constant expression. */
char c;
BEGIN { c = 100 + 200; }
