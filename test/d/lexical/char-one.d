/*
 * Character constants of one byte.
 * @quiet
 */
BEGIN
{
	printf("%d %d %d %d\n", 'a', 'Z', '0', ' ');
	printf("%d %d %d\n", '"', '/', '*');
	printf("%d\n", sizeof ('a'));
	printf("%c%c\n", 'o', 'k');
}
