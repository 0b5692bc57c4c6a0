/*
 * char is signed.
 * @quiet
 * @mem: kernel 0x1000 hex ff 80 7f
 */
char c;
BEGIN
{
	c = 255; printf("%d %d\n", c, (char)c == -1);
	printf("%d %d %d\n", *(char *)0x1000, ((char *)0x1000)[1], ((char *)0x1000)[2]);
	printf("%d\n", *(char *)0x1000 == 255);
	printf("%d %d\n", (char)128, '\377' == 255);
}
