/*
 * Eight keys of all kinds around a struct's member: keys are evaluated once.
 * @quiet
 */
struct s { int a; long b; };
struct s v[int, string, int, int, string, int, int, int];
dtrace:::BEGIN
{
	k = 0;
	v[k++, "a", k++, k++, execname, k++, k++, k++].b = 7;
	v[0, "a", 1, 2, execname, 3, 4, 5].b += v[0, "a", 1, 2, execname, 3, 4, 5].b * 2;
	printf("%d %d %d\n", k, v[0, "a", 1, 2, "difrun", 3, 4, 5].b, v[0, "a", 1, 2, "difrun", 3, 4, 6].b);
}
