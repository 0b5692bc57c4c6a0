/*
 * op= and ++ work on each thread's copy.
 * @quiet
 * @fire: t:::a tid=1
 * @fire: t:::a tid=2
 * @fire: t:::a tid=1
 * @fire: t:::a tid=1
 */
self int sum;
t:::a { self->n++; self->sum += 10; printf("tid %d: %d %d\n", tid, self->n, self->sum); }
