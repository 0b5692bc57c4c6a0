/*
 * Declared thread variables of several types.
 * @quiet
 * @fire: t:::a tid=1
 * @fire: t:::b tid=1
 * @fire: t:::b tid=2
 */
struct pt { int x; long y; };
self int i;
self char c;
self string s;
self struct pt p;
self int arr[3];
t:::a { self->i = -5; self->c = 200; self->s = "hello"; self->p.x = 7; self->p.y = 8; self->arr[1] = 9; }
t:::b
{
	printf("%d %d %s %d %d %d %d\n", self->i, self->c, self->s, self->p.x, self->p.y,
	    self->arr[0], self->arr[1]);
}
