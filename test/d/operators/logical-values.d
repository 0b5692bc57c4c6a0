/*
 * && || ^^ ! give 0 or 1.
 * @quiet
 */
BEGIN
{
	a = 5; b = 0; c = 0x100000000;
	printf("%d%d%d%d\n", a && a, a && b, b && a, b && b);
	printf("%d%d%d%d\n", a || a, a || b, b || a, b || b);
	printf("%d%d%d%d\n", a ^^ a, a ^^ b, b ^^ a, b ^^ b);
	printf("%d%d%d\n", !a, !b, !!a);
	printf("%d%d%d%d\n", c && 1, c || 0, !c, c ^^ 0);
	printf("%d %d\n", sizeof (c && c), sizeof (!c));
}
