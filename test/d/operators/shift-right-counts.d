/*
 * Right shifts by 0, 31, 32, 63, 64 and 65.
 * @quiet
 */
int i; unsigned int u; long l; unsigned long ul; int n;
BEGIN
{
	i = -5; u = 0xfffffffb; l = -5; ul = 0xfffffffffffffffb;
	n = 0; printf("%d %u %d %u\n", i >> n, u >> n, l >> n, ul >> n);
	n = 31; printf("%d %u %d %u\n", i >> n, u >> n, l >> n, ul >> n);
	n = 32; printf("%d %u %d %u\n", i >> n, u >> n, l >> n, ul >> n);
	n = 63; printf("%d %u %d %u\n", i >> n, u >> n, l >> n, ul >> n);
	n = 64; printf("%d %u %d %u\n", i >> n, u >> n, l >> n, ul >> n);
	n = 65; printf("%d %u %d %u\n", i >> n, u >> n, l >> n, ul >> n);
}
