/*
 * Each thread has its own self->; another thread reads 0.
 * @quiet
 * @fire: t:::set tid=1 arg0=11
 * @fire: t:::get tid=1
 * @fire: t:::get tid=2
 * @fire: t:::set tid=2 arg0=22
 * @fire: t:::get tid=1
 * @fire: t:::get tid=2
 * @fire: t:::get tid=3
 * @show: vars
 */
t:::set { self->v = arg0; self->name = strjoin("t", lltostr(tid)); }
t:::get { printf("tid %d: %d [%s]\n", tid, self->v, self->name); }
