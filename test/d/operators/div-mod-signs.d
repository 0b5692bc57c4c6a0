/*
 * Division truncates towards 0, the remainder has the dividend's sign.
 * @quiet
 */
int a, b;
BEGIN
{
	a = 7; b = 2; printf("%d %d\n", a / b, a % b);
	a = -7; b = 2; printf("%d %d\n", a / b, a % b);
	a = 7; b = -2; printf("%d %d\n", a / b, a % b);
	a = -7; b = -2; printf("%d %d\n", a / b, a % b);
	printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
}
