/*
 * * / % bind tighter than + -.
 * @quiet
 */
BEGIN
{
	a = 2; b = 3; c = 4;
	printf("%d %d\n", a + b * c, (a + b) * c);
	printf("%d %d\n", a - c / b, (a - c) / b);
	printf("%d %d\n", a + c % b, (a + c) % b);
}
