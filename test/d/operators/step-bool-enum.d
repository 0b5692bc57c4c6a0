/*
 * ++ and -- on _Bool and enums.
 * @quiet
 */
enum e { A, B, C };
_Bool b; enum e x;
BEGIN
{
	b = 0; b++; printf("%d ", b); b++; printf("%d ", b); b--; printf("%d ", b); b--; printf("%d\n", b);
	x = A; x++; printf("%d %d\n", x, x == B); x += 2; printf("%d\n", x);
}
