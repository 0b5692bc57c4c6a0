/*
 * @quiet
 */
dtrace:::BEGIN
{
	a[(int *)0x1000] = 1; a[(int *)0x1008] = 2;
	printf("%d %d %d\n", a[(int *)0x1000], a[(int *)0x1000 + 2], a[NULL]);
}
