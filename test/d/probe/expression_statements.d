/*
 * A value as a statement is evaluated and records nothing.
 * @fire: t:m:f:n
 */
t:::n { x = 5; x; x + 1; strlen("abc"); (void)x; }
t:::n { trace(x); }
