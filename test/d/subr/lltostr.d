/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%s %s %s\n", lltostr(0), lltostr(-1), lltostr(1234567890123));
	printf("%s %s\n", lltostr(0x7fffffffffffffff), lltostr(-0x7fffffffffffffff - 1));
	printf("%s %s %s %s %s\n", lltostr(8, 8), lltostr(255, 16), lltostr(5, 2), lltostr(35, 36), lltostr(-10, 10));
	printf("%s %s\n", lltostr(0, 8), lltostr(0, 16));
}
