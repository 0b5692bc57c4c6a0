/*
 * Every escape in a string.
 * @quiet
 */
BEGIN
{
	printf("[%s]\n", "a\tb\\c\"d");
	printf("%d %d %d\n", strlen("\a\b\f\n\r\t\v"), strlen("\\\""), strlen("\101\102"));
	printf("[%s] [%s]\n", "\101\1021", "\x41\x42");
	printf("%d\n", strlen("a\0b"));
}
