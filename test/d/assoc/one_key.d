/*
 * @quiet
 * @show: vars
 */
dtrace:::BEGIN
{
	a[1] = 10; a[-1] = 20; a[0] = 30;
	printf("%d %d %d %d\n", a[1], a[-1], a[0], a[2]);
}
