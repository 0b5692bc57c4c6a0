/*
 * Storing 0 deletes elements of every type; what is left is shown.
 * @quiet
 * @show: vars
 */
struct p { int x; int y; };
struct p v[int];
struct p one;
dtrace:::BEGIN
{
	i[1] = 1; i[2] = 2; s[1] = "a"; s[2] = "b"; one.x = 0x700; v[1] = one; v[2] = one;
	i[1] = 0; s[1] = 0; v[1] = 0;
	printf("%d %d [%s] [%s] %d %d\n", i[1], i[2], s[1], s[2], v[1].x, v[2].x);
	i[2] = i[2] - 2; s[2] = NULL;
	printf("%d [%s]\n", i[2], s[2]);
}
