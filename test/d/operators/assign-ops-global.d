/*
 * Every assignment operator on a global.
 * @quiet
 */
int x;
BEGIN
{
	x = 10; x += 5; printf("%d ", x); x -= 3; printf("%d ", x); x *= 4; printf("%d ", x);
	x /= 5; printf("%d ", x); x %= 5; printf("%d ", x); x <<= 4; printf("%d ", x); x >>= 1; printf("%d ", x);
	x |= 7; printf("%d ", x); x &= 0x15; printf("%d ", x); x ^= 0xff; printf("%d\n", x);
}
