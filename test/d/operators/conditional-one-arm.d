/*
 * ?: evaluates only the arm it takes.
 * @quiet
 */
BEGIN
{
	a = 0; b = 0; z = 0; o = 1;
	printf("%d", o ? ++a : ++b); printf(" %d %d\n", a, b);
	printf("%d", z ? ++a : ++b); printf(" %d %d\n", a, b);
	printf("%d", 1 ? ++a : ++b); printf(" %d %d\n", a, b);
	printf("%d\n", z ? o / z : 5);
}
