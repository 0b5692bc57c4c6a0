/*
 * An index of any width and sign is widened before it is scaled.
 * @quiet
 */
char c; unsigned char uc; unsigned int u; int i;
BEGIN
{
	this->p = (long *)0x100000;
	c = -1; uc = 255; u = 1; i = -2147483647 - 1;
	printf("%d %d %d\n", (long)(this->p + c) - 0x100000, (long)(this->p + uc) - 0x100000, (long)(this->p - u) - 0x100000);
	printf("%d\n", (long)(this->p + i) - 0x100000);
	printf("%d\n", (long)(this->p + 4294967295u) - 0x100000);
}
