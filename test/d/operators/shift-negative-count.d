/*
 * A negative count is its low six bits.
 * @quiet
 */
int n; long l; char c;
BEGIN
{
	l = 1; n = -1; printf("%d\n", l << n);
	n = -63; printf("%d\n", l << n);
	l = -8; n = -62; printf("%d\n", l >> n);
	c = -1; printf("%d\n", l >> c);
	printf("%d %d\n", 1l << -1, 1l << -63);
}
