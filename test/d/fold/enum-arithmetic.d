/*
 * Enumerators fold as ints.
 * @quiet
 */
enum e { A = 1, B = 2, MIN = -2147483647 - 1 };
BEGIN
{
	printf("%d %d %d\n", A - B, A << B, MIN - 1);
	printf("%d %d\n", A - B < 0, sizeof (A + B));
	printf("%d\n", (enum e)B * 3);
}
