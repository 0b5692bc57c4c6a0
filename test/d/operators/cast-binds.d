/*
 * A cast binds tighter than a binary operator, looser than a postfix one.
 * @quiet
 */
BEGIN
{
	x = 255; y = 1;
	printf("%d %d\n", (char)x + y, (char)(x + y));
	printf("%d\n", -(char)x);
	printf("%d\n", (char)x++);
	printf("%d\n", x);
	printf("%d\n", (int)sizeof (char) * 2);
}
