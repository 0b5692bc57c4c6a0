/*
 * Enumerators count on from the last value; they are ints.
 * @quiet
 */
enum e { A, B, C = 10, D, E = -3, F, G = C + D, H = sizeof (int) };
BEGIN
{
	printf("%d %d %d %d %d %d %d %d\n", A, B, C, D, E, F, G, H);
	printf("%d %d %d\n", sizeof (enum e), sizeof (A), -1 < A);
	printf("%d\n", (enum e)F == E + 1);
}
