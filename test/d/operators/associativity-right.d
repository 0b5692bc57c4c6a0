/*
 * Assignments and ?: group from the right.
 * @quiet
 */
BEGIN
{
	a = b = c = 7;
	printf("%d %d %d\n", a, b, c);
	a += b -= c;
	printf("%d %d\n", a, b);
	x = 0; y = 1;
	printf("%d\n", x ? 1 : y ? 2 : 3);
	printf("%d\n", x ? 1 : x ? 2 : 3);
	printf("%d\n", y ? x ? 1 : 2 : 3);
	printf("%d %d\n", - - 5, ! ! 5);
}
