/*
 * Folded and computed: 64 bits.
 * @quiet
 */
long hi; unsigned long ul; long m;
BEGIN
{
	hi = 9223372036854775807; ul = 0xffffffffffffffff; m = -1;
	printf("%d %d\n", 9223372036854775807 + 1, hi + 1);
	printf("%d %d\n", (-9223372036854775807 - 1) / -1, (-hi - 1) / m);
	printf("%d %d\n", (-9223372036854775807 - 1) % -1, (-hi - 1) % m);
	printf("%u %u\n", 0xffffffffffffffff / 10, ul / 10);
	printf("%u %u\n", 0xffffffffffffffff % 10, ul % 10);
	printf("%d %d\n", 9223372036854775807 >> 62, hi >> 62);
	printf("%u %u\n", 0xffffffffffffffff >> 62, ul >> 62);
}
