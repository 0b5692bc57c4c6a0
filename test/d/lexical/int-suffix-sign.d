/*
 * A u makes a constant unsigned: -1 is then larger.
 * @quiet
 */
BEGIN
{
	printf("%d %d\n", -1 < 1, -1 < 1u);
	printf("%d %d\n", -1 < 1l, -1 < 1ul);
	printf("%d %d\n", -1 < 1ll, -1 < 1ull);
	printf("%d\n", -1l < 1u);
}
