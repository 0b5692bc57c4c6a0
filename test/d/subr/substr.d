/*
 * As Perl's: negative indexes count from the end, negative lengths leave that many.
 * @quiet
 */
dtrace:::BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", 2), substr("abcdef", 0), substr("abcdef", 6), substr("abcdef", 7));
	printf("[%s] [%s] [%s]\n", substr("abcdef", 1, 3), substr("abcdef", 4, 10), substr("abcdef", 2, 0));
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", -2), substr("abcdef", -3, 2), substr("abcdef", -6), substr("abcdef", -8));
	printf("[%s] [%s] [%s]\n", substr("abcdef", 1, -1), substr("abcdef", 0, -6), substr("abcdef", -4, -2));
	printf("[%s] [%s]\n", substr("abcdef", -8, 3), substr("", 0));
}
