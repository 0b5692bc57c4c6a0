/*
 * A thread's struct reads as zeroes before anything was stored, whole and by member; a store of one member makes it.
 * @quiet
 * @show: vars
 * @fire: t:::get tid=1
 * @fire: t:::set tid=1
 * @fire: t:::get tid=1
 * @fire: t:::get tid=2
 */
struct in { char c[2]; short s; };
struct pt { int x; struct in v[2]; };
self struct pt p;
self int a[2][2];
t:::set { self->p.v[1].s = -3; self->p.v[0].c[1] = 'x'; self->a[1][0]++; self->a[i = 1][1] += 2; }
t:::get
{
	this->q = self->p;
	printf("%d %d %d %d %d %d\n", self->p.x, self->p.v[1].s, this->q.v[0].c[1], self->a[1][0], self->a[1][1],
	    self->a[0][0]);
}
