/*
 * What has side effects is not folded away.
 * @quiet
 */
BEGIN
{
	n = 0;
	x = n++ * 0; printf("%d %d\n", x, n);
	x = 0 * n++; printf("%d %d\n", x, n);
	x = n++ && 0; printf("%d %d\n", x, n);
	x = (n++, 1) || 0; printf("%d %d\n", x, n);
	x = 0 ? n++ : 5; printf("%d %d\n", x, n);
	x = 1 || n++; printf("%d %d\n", x, n);
	x = 1 && n++; printf("%d %d\n", x, n);
	x = 0 ^^ n++; printf("%d %d\n", x, n);
	x = sizeof (n++); printf("%d %d\n", x, n);
}
