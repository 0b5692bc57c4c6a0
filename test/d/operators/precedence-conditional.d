/*
 * || binds tighter than ?:, and ?: tighter than =.
 * @quiet
 */
BEGIN
{
	t = 1; f = 0;
	printf("%d %d\n", t || f ? 5 : 6, t || (f ? 5 : 6));
	x = f ? 1 : 2;
	printf("%d\n", x);
	y = t ? x = 7, 8 : 9;
	printf("%d %d\n", x, y);
}
