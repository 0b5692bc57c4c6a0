/*
 * Arrays of structs and structs with arrays.
 * @quiet
 */
struct in { int n; char t[4]; };
struct out { struct in v[2]; long z; };
struct in a[2];
struct out o;
dtrace:::BEGIN
{
	a[1].n = 3; a[1].t[2] = 'q'; o.v[1].n = 9; o.v[1].t[0] = 'w'; o.z = -1;
	printf("%d %d %c %d %c %d\n", a[0].n, a[1].n, a[1].t[2], o.v[1].n, o.v[1].t[0], o.z);
	a[0] = a[1]; o.v[0] = a[0];
	printf("%d %c %d\n", a[0].n, a[0].t[2], o.v[0].n);
}
