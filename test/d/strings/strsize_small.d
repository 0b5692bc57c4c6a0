/*
 * strsize is not rounded (P 4.14).
 * @quiet
 * @opt: strsize=5
 */
dtrace:::BEGIN
{
	s = "0123456789"; printf("%s %d\n", s, sizeof (s)); trace(s);
	printf("%s %s %s %s\n", strjoin("abc", "de"), substr("abcdefgh", 2, 9), lltostr(1234567), toupper("abcdefg"));
	printf("%s %s %s\n", basename("/x/abcdef"), strtok("abcdefg,h", ","), strchr("xxabcde", 'a'));
	printf("%d %d %d\n", strlen("0123456789"), index("0123456789", "4"), index("0123456789", "5"));
}
