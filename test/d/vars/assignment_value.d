/*
 * An assignment's value is what was stored; assignments chain from the right.
 * @quiet
 */
char c;
dtrace:::BEGIN
{
	a = b = 5; printf("%d %d\n", a, b);
	printf("%d\n", c = 0x1ff);
	printf("%d %d\n", (x = 3) + (y = 4), x);
	s = t = "str"; printf("%s %s\n", s, t);
}
