/*
 * A fault ends the clause; nothing of it is shown; other clauses run.
 * @quiet
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=0
 */
t:::a { printf("before "); x = 1; if (*(int *)arg0) { printf("then"); } else { printf("else"); } x = 2; }
t:::a { printf("x is %d\n", x); }
