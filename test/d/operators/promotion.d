/*
 * Nothing is promoted to int: of two types the wider one, the unsigned one of two as wide, is the result's (P 4.2).
 * @quiet
 */
char c; unsigned char uc; short s; unsigned short us; int8_t i8; uint8_t u8;
BEGIN
{
	c = 127; uc = 255; s = 32767; us = 65535;
	printf("%d %d %d %d\n", c + 1, uc + 1, s + 1, us + 1);
	printf("%d %d %d %d\n", sizeof (c + c), sizeof (uc + uc), sizeof (s + s), sizeof (us * us));
	printf("%d %d %d\n", sizeof (-c), sizeof (~uc), sizeof (+s));
	printf("%d %d\n", us * us, uc - 256);
	printf("%d %d\n", ~uc, -us);
	i8 = -1; u8 = 255; printf("%d %d\n", i8 == u8, (char)u8 == i8);
}
