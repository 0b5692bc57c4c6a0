/*
 * A declared array of scalars: elements, op=, variable index.
 * @quiet
 */
int a[5];
short m[2][3];
dtrace:::BEGIN
{
	a[0] = 1; a[4] = 5; i = 4; a[i - 1] = 40; a[i]++; a[0] += 100;
	printf("%d %d %d %d %d size %d\n", a[0], a[1], a[2], a[3], a[4], sizeof (a));
	m[1][2] = -7; m[0][1] = 3;
	printf("%d %d %d %d\n", m[0][0], m[0][1], m[1][2], sizeof (m));
}
