/*
 * A thread-local array keeps its elements between firings.
 * @quiet
 * @fire: t:::go tid=1
 * @fire: t:::go tid=1
 * @fire: t:::go tid=2
 */
self int a[2];
t:::go { self->a[1] += 2; printf("%d %d\n", self->a[0], self->a[1]); }
