/*
 * The constant on the right leaves the left's side effects.
 * @quiet
 */
BEGIN
{
	n = 0;
	printf("%d\n", n++ && 0); printf("%d\n", n);
	printf("%d\n", n++ || 1); printf("%d\n", n);
	printf("%d\n", n++ * 0); printf("%d\n", n);
	printf("%d\n", (n++, 7)); printf("%d\n", n);
}
