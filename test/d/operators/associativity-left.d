/*
 * Binary operators group from the left.
 * @quiet
 */
BEGIN
{
	a = 20; b = 6; c = 4;
	printf("%d %d\n", a - b - c, a - (b - c));
	printf("%d %d\n", a / b / c, a / (b / c));
	printf("%d %d\n", a % b % c, a % (b % c));
	printf("%d %d\n", a / c * b, a / (c * b));
	printf("%d %d\n", 1 << c << 2, 1 << (c << 2));
	printf("%d %d\n", 256 >> c >> 2, 256 >> (c >> 1));
	printf("%d %d\n", c > b > -1, c > (b > -1));
	printf("%d %d\n", c == b == 0, c == (b == 0));
	printf("%d %d\n", a - b + c, a - (b + c));
}
