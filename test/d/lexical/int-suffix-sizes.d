/*
 * The suffixes u, l, ul, ll, ull in either case set the least size.
 * @quiet
 */
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (1u), sizeof (1l), sizeof (1ul), sizeof (1ll), sizeof (1ull));
	printf("%d %d %d %d %d\n", sizeof (1U), sizeof (1L), sizeof (1UL), sizeof (1LL), sizeof (1ULL));
	printf("%d %d %d\n", sizeof (0x1u), sizeof (01l), sizeof (0x1uLL));
	printf("%d %d\n", sizeof (4294967295u), sizeof (4294967296u));
}
