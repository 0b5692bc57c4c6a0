/*
 * The usual arithmetic conversions: sizes and signs of mixed sums.
 * @quiet
 */
char c; int i; unsigned int u; long l; unsigned long ul;
BEGIN
{
	c = i = u = l = ul = 0;
	printf("%d %d %d %d %d\n", sizeof (c + i), sizeof (c + u), sizeof (i + l), sizeof (u + l), sizeof (l + ul));
	printf("%d %d %d\n", c + i - 1 < 0, c + u - 1 < 0, i + u - 1 < 0);
	printf("%d %d %d\n", i + l - 1 < 0, u + l - 1 < 0, l + ul - 1 < 0);
	printf("%d %d\n", i + ul - 1 < 0, c + l - 1 < 0);
}
