/*
 * Each op= on a global.
 * @quiet
 */
dtrace:::BEGIN
{
	x = 100; x += 5; printf("%d", x); x -= 6; printf(" %d", x); x *= 2; printf(" %d", x);
	x /= 4; printf(" %d", x); x %= 10; printf(" %d", x); x <<= 5; printf(" %d", x);
	x >>= 2; printf(" %d", x); x |= 7; printf(" %d", x); x &= 0x3e; printf(" %d", x); x ^= 0xff; printf(" %d\n", x);
}
