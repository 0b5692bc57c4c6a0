/*
 * << >> bind tighter than < <= > >=.
 * @quiet
 */
BEGIN
{
	a = 1; b = 3;
	printf("%d %d\n", b < a << 2, (b < a) << 2);
	printf("%d %d\n", 8 >> b >= a, 8 >> (b >= a));
}
