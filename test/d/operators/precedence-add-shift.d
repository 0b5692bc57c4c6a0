/*
 * + - bind tighter than << >>.
 * @quiet
 */
BEGIN
{
	a = 1; b = 2; c = 3;
	printf("%d %d\n", a << b + c, (a << b) + c);
	printf("%d %d\n", 256 >> a + b, (256 >> a) + b);
}
