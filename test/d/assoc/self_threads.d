/*
 * self-> arrays are each thread's.
 * @quiet
 * @show: vars
 * @fire: t:::set tid=1
 * @fire: t:::set tid=2
 * @fire: t:::get tid=1
 * @fire: t:::get tid=2
 * @fire: t:::get tid=3
 * @fire: t:::del tid=2
 * @fire: t:::get tid=2
 */
t:::set { self->a["k", 1] = tid * 10; }
t:::get { printf("%d: %d\n", tid, self->a["k", 1]); }
t:::del { self->a["k", 1] = 0; }
