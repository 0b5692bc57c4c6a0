/*
 * Left shifts by 0, 31, 32, 63, 64 and 65: the low six bits of the count, then the type's width.
 * @quiet
 */
int i; unsigned int u; long l; int n;
BEGIN
{
	i = 1; u = 1; l = 1;
	n = 0; printf("%d %u %d\n", i << n, u << n, l << n);
	n = 31; printf("%d %u %d\n", i << n, u << n, l << n);
	n = 32; printf("%d %u %d\n", i << n, u << n, l << n);
	n = 63; printf("%d %u %d\n", i << n, u << n, l << n);
	n = 64; printf("%d %u %d\n", i << n, u << n, l << n);
	n = 65; printf("%d %u %d\n", i << n, u << n, l << n);
}
