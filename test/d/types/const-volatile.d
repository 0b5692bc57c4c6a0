/*
 * Qualifiers change nothing about a value.
 * @quiet
 */
const int c; volatile long v; const char *const p; int *restrict r;
BEGIN
{
	c = 1; v = 2; printf("%d %d %d %d\n", c, v, sizeof (const int), sizeof (const volatile char *));
	p = (const char *)5; printf("%d\n", (long)p);
	printf("%d\n", (const long)3);
}
