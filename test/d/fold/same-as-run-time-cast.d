/*
 * Folded and computed: casts.
 * @quiet
 */
int x;
BEGIN
{
	x = 0x8182;
	printf("%d %d\n", (char)0x8182, (char)x);
	printf("%d %d\n", (unsigned char)0x8182, (unsigned char)x);
	printf("%d %d\n", (short)0x8182, (short)x);
	printf("%d %d\n", (unsigned short)(char)0x8182, (unsigned short)(char)x);
	printf("%d %d\n", (long)(char)0x8182, (long)(char)x);
	printf("%d %d\n", (_Bool)0x8182, (_Bool)x);
	printf("%u %u\n", (unsigned)-0x8182, (unsigned)-x);
	printf("%u %u\n", (unsigned long)(int)0x81820000, (unsigned long)(int)(x << 16));
}
