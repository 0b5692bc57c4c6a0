/*
 * ==, then &, then ^, then |.
 * @quiet
 */
BEGIN
{
	a = 6; b = 3; c = 5;
	printf("%d %d\n", a & 2 == 2, (a & 2) == 2);
	printf("%d %d\n", a ^ b & c, (a ^ b) & c);
	printf("%d %d\n", a | b ^ c, (a | b) ^ c);
	printf("%d %d\n", a | b & c, (a | b) & c);
}
