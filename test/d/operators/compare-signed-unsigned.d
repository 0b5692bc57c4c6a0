/*
 * Comparisons have 64 bits, and the sign of the wider type (S C1).
 * @quiet
 */
int i; unsigned int u; long l; unsigned long ul; unsigned short us;
BEGIN
{
	i = -1; u = 1; l = -1; ul = 1; us = 65535;
	printf("%d %d %d %d\n", i < u, i < ul, l < u, l < ul);
	printf("%d %d\n", i < us, i > us);
	printf("%d %d\n", i == 0xffffffff, l == 0xffffffff);
	printf("%d %d\n", i == 0xffffffffffffffff, -1 == 4294967295);
}
