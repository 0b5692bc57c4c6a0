/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%d %d %d %d\n", strtoll("0"), strtoll("-42"), strtoll("+7"), strtoll("  12x"));
	printf("%d %d %d %d\n", strtoll("ff", 16), strtoll("0xff", 16), strtoll("777", 8), strtoll("zz", 36));
	printf("%d %d %d\n", strtoll("101", 2), strtoll(""), strtoll("abc"));
	printf("%d %d\n", strtoll("9223372036854775807"), strtoll("-9223372036854775808"));
	printf("%d\n", strtoll(lltostr(-987654321)));
}
