/*
 * Actions are checked first, but what the predicate makes is known to them.
 * @quiet
 * @fire: t:::a
 * @fire: t:::a
 * @fire: t:::a
 */
t:::a /x++/ { printf("x %d\n", x); }
t:::a /y == 0/ { printf("y %d\n", y++); }
