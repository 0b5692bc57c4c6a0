/*
 * Folded and computed: int arithmetic at its edges.
 * @quiet
 */
int lo, hi, m;
BEGIN
{
	lo = -2147483647 - 1; hi = 2147483647; m = -1;
	printf("%d %d\n", 2147483647 + 1, hi + 1);
	printf("%d %d\n", -2147483647 - 1 - 1, lo - 1);
	printf("%d %d\n", (-2147483647 - 1) / -1, lo / m);
	printf("%d %d\n", (-2147483647 - 1) % -1, lo % m);
	printf("%d %d\n", -(-2147483647 - 1), -lo);
	printf("%d %d\n", 2147483647 * 2147483647, hi * hi);
	printf("%d %d\n", 2147483647 << 1, hi << 1);
}
