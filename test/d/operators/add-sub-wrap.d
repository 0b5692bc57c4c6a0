/*
 * Signed arithmetic wraps at its type's width.
 * @quiet
 */
int i; unsigned int u; long l; unsigned long ul;
BEGIN
{
	i = 2147483647; u = 4294967295; l = 9223372036854775807; ul = 0xffffffffffffffff;
	printf("%d %u %d %u\n", i + 1, u + 1, l + 1, ul + 1);
	i = -i - 1; u = 0; l = -l - 1; ul = 0;
	printf("%d %u %d %u\n", i - 1, u - 1, l - 1, ul - 1);
	printf("%d %d\n", -i, -l);
}
