/*
 * < binds tighter than ==.
 * @quiet
 */
BEGIN
{
	a = 1; b = 2; c = 1;
	printf("%d %d\n", a < b == c, a < (b == c));
	printf("%d %d\n", b != b > a, (b != b) > a);
}
