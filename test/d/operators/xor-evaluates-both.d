/*
 * ^^ needs both sides.
 * @quiet
 */
BEGIN
{
	n = 0; z = 0; o = 1;
	printf("%d\n", o ^^ n++); printf("%d\n", n);
	printf("%d\n", z ^^ n++); printf("%d\n", n);
	printf("%d\n", 0 ^^ n++); printf("%d\n", n);
	printf("%d\n", 1 ^^ n++); printf("%d\n", n);
}
