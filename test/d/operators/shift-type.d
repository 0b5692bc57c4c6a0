/*
 * The type of a shift is that of its left side; its value has 64 bits.
 * @quiet
 */
char c; unsigned char uc; int i; long l;
BEGIN
{
	c = -1; uc = 255; i = 1; l = 1;
	printf("%d %d %d\n", sizeof (c << l), sizeof (i << l), sizeof (l << i));
	printf("%d %d\n", c << 8, uc << 8);
	printf("%d %d\n", c >> 1, uc >> 1);
	printf("%d\n", (uc << 24) < 0);
	printf("%d\n", (1u << 31) > 0);
}
