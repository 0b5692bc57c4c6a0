/*
 * Every assignment operator on an element of an associative array; the key is evaluated once.
 * @quiet
 */
int a[string, int];
BEGIN
{
	n = 0;
	a["k", 1] = 10; a["k", 1] += 5; printf("%d ", a["k", 1]); a["k", 1] -= 3; printf("%d ", a["k", 1]);
	a["k", 1] *= 4; printf("%d ", a["k", 1]); a["k", 1] /= 5; printf("%d ", a["k", 1]);
	a["k", 1] %= 5; printf("%d ", a["k", 1]); a["k", 1] <<= 4; printf("%d ", a["k", 1]);
	a["k", 1] >>= 1; printf("%d ", a["k", 1]); a["k", 1] |= 7; printf("%d ", a["k", 1]);
	a["k", 1] &= 0x15; printf("%d ", a["k", 1]); a["k", 1] ^= 0xff; printf("%d\n", a["k", 1]);
	a["k", ++n] += 1; printf("%d %d\n", n, a["k", 1]);
	a["new", 1] += 2; a["new", 2] -= 2; printf("%d %d\n", a["new", 1], a["new", 2]);
}
