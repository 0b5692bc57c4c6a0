/*
 * Strings are compared by their text, wherever it lies.
 * @quiet
 * @mem: kernel 0x1000 "key"
 */
char buf[8];
dtrace:::BEGIN
{
	a["key"] = 1; a[""] = 2; a["key2"] = 3;
	printf("%d %d %d %d\n", a[strjoin("k", "ey")], a[""], a[stringof((char *)0x1000)], a["none"]);
	printf("%d\n", a[substr("xkey2", 1)]);
	buf[0] = 'k'; buf[1] = 'e'; buf[2] = 'y';
	printf("%d\n", a[buf]);
}
