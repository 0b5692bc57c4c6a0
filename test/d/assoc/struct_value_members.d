/*
 * Members of struct elements are read and written in place; writing makes the element.
 * @quiet
 */
struct p { int x; char t[4]; long y; };
struct p v[string, int];
self struct p w[int];
dtrace:::BEGIN
{
	v["a", 1].x = 5; v["a", 1].y = -1; v["a", 1].t[1] = 'q'; v["a", 1].x += 2;
	printf("%d %d %c %d\n", v["a", 1].x, v["a", 1].y, v["a", 1].t[1], v["a", 2].x);
	self->w[3].y = 8; self->w[3].y++; printf("%d %d\n", self->w[3].y, self->w[4].y);
	v["b", 2] = self->w[3]; printf("%d\n", v["b", 2].y);
}
