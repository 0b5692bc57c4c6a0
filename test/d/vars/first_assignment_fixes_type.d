/*
 * The type of the first right-hand side stays: later values are cut to it.
 * @quiet
 */
dtrace:::BEGIN
{
	c = (char)1; i = 1; l = 1L; u = 1U; s = "s"; p = (char *)0;
	printf("%d %d %d %d %d %d\n", sizeof (c), sizeof (i), sizeof (l), sizeof (u), sizeof (s), sizeof (p));
	c = 511; i = 0x123456789; l = 0x123456789; u = -1;
	printf("%d %x %x %u\n", c, i, l, u);
}
