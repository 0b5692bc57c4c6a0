/*
 * A decimal constant is an int, else a long, else an unsigned long long.
 * @quiet
 */
BEGIN
{
	printf("%d %d %d\n", sizeof (0), sizeof (2147483647), sizeof (2147483648));
	printf("%d %d\n", sizeof (4294967296), sizeof (9223372036854775807));
	printf("%d %d\n", 2147483648 > -1, 4294967295 > -1);
	printf("%u %d\n", 18446744073709551615, 18446744073709551615 * 0 - 1 < 0);
}
