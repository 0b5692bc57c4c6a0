/*
 * Integers of any width meet one signature: the first key's type is what they become.
 * @quiet
 * @show: vars
 */
dtrace:::BEGIN
{
	a[1] = 5;
	printf("%d %d %d %d %d\n", a[(char)1], a[1L], a[1ULL], a[(uint8_t)1], a[(short)1]);
	l[1L] = 6; l[-1L] = 7;
	printf("%d %d %d %d\n", l[(char)1], l[(char)-1], l[-1], l[(short)-1]);
	a[0x100000001] = 8;
	printf("%d\n", a[1]);
}
