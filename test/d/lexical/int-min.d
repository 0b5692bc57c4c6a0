/*
 * The lowest long has to be computed: there are no negative constants.
 * @quiet
 */
BEGIN
{
	printf("%d\n", -9223372036854775807 - 1);
	printf("%d\n", (long)0x8000000000000000);
	printf("%d\n", -2147483648);
	printf("%d\n", sizeof (-2147483648));
}
