/*
 * Clauses run in program order; a predicate sees what earlier clauses did.
 * @quiet
 * @fire: t:::a
 * @fire: t:::a
 * @fire: t:::a
 */
int n;
t:::a /n == 0/ { printf("first "); }
t:::a { n++; }
t:::a /n == 2/ { printf("second "); }
t:::a { printf("%d\n", n); }
