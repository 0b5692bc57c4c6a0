/*
 * Unary operators bind tighter than binary ones, postfix tighter than prefix.
 * @quiet
 */
BEGIN
{
	a = 5; b = 3;
	printf("%d %d\n", -a + b, -(a + b));
	printf("%d %d\n", ~a & b, ~(a & b));
	printf("%d %d\n", !a == b, !(a == b));
	printf("%d\n", -a++);
	printf("%d\n", a);
	printf("%d %d\n", -a % 4, -(a % 4));
	printf("%d\n", sizeof (char) + 1);
	printf("%d\n", (char)a * 100);
}
