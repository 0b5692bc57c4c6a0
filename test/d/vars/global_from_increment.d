/*
 * ++ and -- on a new variable make it an int64_t that starts at 0.
 * @quiet
 * @fire: t:::a
 * @fire: t:::a
 */
t:::a
{
	printf("%d %d %d %d\n", up++, ++up, down--, --down);
	printf("sizes %d %d\n", sizeof (up), sizeof (down));
}
