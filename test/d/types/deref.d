/*
 * Loads of every size and sign.
 * @quiet
 * @mem: kernel 0x1000 hex f0 fe fd fc fb fa f9 f8
 */
BEGIN
{
	printf("%d %d\n", *(char *)0x1000, *(unsigned char *)0x1000);
	printf("%d %d\n", *(short *)0x1000, *(unsigned short *)0x1000);
	printf("%d %u\n", *(int *)0x1000, *(unsigned int *)0x1000);
	printf("%d %u\n", *(long *)0x1000, *(unsigned long *)0x1000);
	printf("%d\n", *(int8_t *)0x1001);
	printf("%d %d\n", ((char *)0x1000)[2], ((unsigned char *)0x1000)[3]);
	printf("%x\n", *((unsigned short *)0x1000 + 1));
}
