/*
 * What is recorded, keyed and passed: each by its type. Casts: to a wider type only a signed operand is extended.
 * @quiet
 */
unsigned char a, b; int i; unsigned int u; short keys[int];
BEGIN
{
	a = 200; b = 100; i = 5; u = 5;
	trace(a + b); trace(" "); printf("%d %d\n", a + b, a + b == 300);
	printf("%d %d %d\n", (int)(i * 1000000000), (long)(i * 1000000000), i * 1000000000 + 0L);
	printf("%u %u\n", (uint32_t)(u * 1000000000), (uint64_t)(u * 1000000000));
	this->big = 0x100000007; this->one = 1; i = this->big;
	keys[i] = 3; printf("%d %d\n", keys[i], keys[7]);
	@k[i, a + b] = count(); printa("%d %d %@d\n", @k);
	printf("%s|\n", substr("abcdefgh", 0x100000002));
	printf("%d\n", i ? 1 : 2); i = this->one << 32; printf("%d %d %d\n", i ? 1 : 2, !i, i && 1);
	printf("%d %d\n", (i = 7) > 0 ? i << 30 == 7516192768 : -1, -1 >> 1);
	printf("%d %d\n", (-9223372036854775807 - 1) / -1 < 0, (i - 8) / 2u > 1);
}
