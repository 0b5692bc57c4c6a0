/*
 * The first assignment gives a global its type; it lives from firing to firing.
 * @quiet
 * @fire: t:::a
 * @fire: t:::a
 * @fire: t:::b
 */
int last;
t:::a { n = last + 1; last = n; trace(n); printf(" size %d\n", sizeof (n)); }
t:::b { printf("%d\n", n); }

