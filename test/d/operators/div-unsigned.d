/*
 * Unsigned division sees large numbers, not negative ones.
 * @quiet
 */
int i; unsigned int u; unsigned long ul; long l;
BEGIN
{
	i = -1; u = 2; ul = 2; l = 2;
	printf("%u %u %d\n", i / u, i / ul, i / l);
	printf("%u %u %d\n", i % u, i % (ul + 1), i % l);
	printf("%u %u\n", -1 / 2u, -1 / 2ul);
}
