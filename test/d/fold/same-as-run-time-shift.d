/*
 * Folded and computed: counts of 0, 31, 32, 63, 64, 65 and below 0.
 * @quiet
 */
int i; long l; int n;
BEGIN
{
	i = 1; l = -3;
	n = 31; printf("%d %d, %d %d\n", 1 << 31, i << n, -3l >> 31, l >> n);
	n = 32; printf("%d %d, %d %d\n", 1 << 32, i << n, -3l >> 32, l >> n);
	n = 33; printf("%d %d, %d %d\n", 1 << 33, i << n, -3 >> 33, (int)l >> n);
	n = 63; printf("%d %d, %d %d\n", 1 << 63, i << n, -3l >> 63, l >> n);
	n = 64; printf("%d %d, %d %d\n", 1 << 64, i << n, -3l >> 64, l >> n);
	n = 65; printf("%d %d, %d %d\n", 1 << 65, i << n, -3l >> 65, l >> n);
	n = -1; printf("%d %d, %d %d\n", 1 << -1, i << n, -3l << -1, l << n);
}
