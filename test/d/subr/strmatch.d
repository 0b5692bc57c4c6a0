/*
 * strmatch(): patterns of a shell. Slashes and periods are characters like others.
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%d %d %d %d\n", strmatch("/usr/bin/ls", "/usr/*"), strmatch("/usr/bin/ls", "/usr/*/cat"),
	    strmatch("/usr/bin/ls", "*l?"), strmatch(".profile", "*"));
	printf("%d %d %d %d\n", strmatch("", ""), strmatch("", "*"), strmatch("", "?"), strmatch("a", ""));
	printf("%d %d %d %d\n", strmatch("eth0", "eth[0-9]"), strmatch("ethx", "eth[0-9]"), strmatch("ethx", "eth[!0-9]"),
	    strmatch("eth", "eth[!0-9]"));
	printf("%d %d %d %d\n", strmatch("a]", "a[]]"), strmatch("a-", "a[x-]"), strmatch("a[", "a["), strmatch("a*", "a\\*"));
	printf("%d %d %d\n", strmatch("ab", "a\\*"), strmatch("aaab", "*a*a*b"), strmatch("mississippi", "m*iss*i?p*"));
	printf("%d %d\n", strmatch("x^", "x[^a]"), strmatch("x]", "x[!]]"));
}
dtrace:::BEGIN { trace(strmatch(NULL, "a")); }
dtrace:::BEGIN { trace(strmatch("a", NULL)); }
dtrace:::ERROR { printf("ERROR fault %d addr %x\n", arg4, arg5); }
