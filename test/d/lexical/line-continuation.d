/*
 * A backslash at a line's end joins it with the next.
 * @quiet
 */
BEGIN
{
	printf("%d\n", 1 + \
	    2);
	x = \
3;
	printf("%d\n", x);
}
