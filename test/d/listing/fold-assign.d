/* Assigning a constant expression: it is converted to the declared type (N1). */
char c;
BEGIN { c = 100 + 200; }
