/*
 * Assignment operators compute in 64 bits, with the sign of the left side; a record has what its type holds. A _Bool is 0 or 1.
 * @quiet
 */
char c; unsigned char uc; short s; unsigned int u; _Bool b;
BEGIN
{
	c = 100; c += 100; printf("%d\n", c);
	uc = 200; uc += 100; printf("%d\n", uc);
	uc = 200; uc *= 2; uc /= 2; printf("%d\n", uc);
	c = -128; c /= -1; printf("%d\n", c);
	s = -1; s >>= 1; printf("%d\n", s);
	uc = 255; uc <<= 1; printf("%d\n", uc);
	u = 1; u -= 2; printf("%u\n", u);
	u = 10; u /= -1; printf("%u\n", u);
	c = -1; c /= 2u; printf("%d\n", c);
	c = -4; c %= 3; printf("%d\n", c);
	b = 1; b += 5; printf("%d\n", b);
	b = 1; b <<= 32; printf("%d\n", b);
	b = 0; b |= 0x100; printf("%d\n", b);
}
