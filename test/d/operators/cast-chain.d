/*
 * Casts apply from the inside out.
 * @quiet
 */
BEGIN
{
	x = 0x1ff;
	printf("%d %d\n", (int)(char)x, (int)(unsigned char)x);
	printf("%u %u\n", (unsigned long)(char)x, (unsigned long)(unsigned int)(char)x);
	printf("%d\n", (char)(unsigned short)(x - 0x80));
	printf("%d\n", (_Bool)(char)0x100);
	printf("%d\n", (char)(_Bool)0x100);
}
