/*
 * The comma evaluates both sides and is worth the right one.
 * @quiet
 */
BEGIN
{
	x = (1, 2, 3); printf("%d\n", x);
	y = (x++, x * 2); printf("%d %d\n", x, y);
	a = 1, b = 2; printf("%d %d\n", a, b);
	printf("%s\n", (a, "text"));
	printf("%d\n", sizeof (1l, 1));
}
