/*
 * Struct assignment copies; the copies are then apart.
 * @quiet
 */
struct pt { int x; int y; };
struct pt a, b;
dtrace:::BEGIN
{
	a.x = 1; a.y = 2; b = a; a.x = 10; b.y = 20;
	printf("%d %d %d %d\n", a.x, a.y, b.x, b.y);
	c = b; printf("%d %d %d\n", c.x, c.y, sizeof (c));
}
