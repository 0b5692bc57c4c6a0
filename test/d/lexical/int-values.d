/*
 * Values of decimal, hex (both cases) and octal constants.
 * @quiet
 */
BEGIN
{
	printf("%d %d %d\n", 1234567890, 0x1234abcd, 0XABCDEF);
	printf("%d %d %d\n", 0, 00, 0x0);
	printf("%d %d %d\n", 010, 0777, 0123);
	printf("%x %o\n", 0xdeadbeef, 0644);
	printf("%d\n", 0x7fffffffffffffff);
	printf("%u\n", 0xffffffffffffffff);
	printf("%u\n", 18446744073709551615ull);
}
