/*
 * sizeof of an expression is its type's; nothing is evaluated.
 * @quiet
 */
struct s { char c; int a[5]; struct { short x, y; } in; };
char c; long l;
BEGIN
{
	n = 0;
	printf("%d %d\n", sizeof c, sizeof (l));
	printf("%d %d %d\n", sizeof (n++), sizeof n, n);
	printf("%d %d %d\n", sizeof ("hello"), sizeof "", sizeof 'a');
	printf("%d %d %d\n", sizeof (((struct s *)0)->a), sizeof (((struct s *)0)->a[0]), sizeof (((struct s *)0)->in));
	printf("%d %d\n", sizeof (struct s), sizeof (*(struct s *)0));
	printf("%d %d\n", sizeof (&((struct s *)0)->a), sizeof (c + c));
	printf("%d %d\n", sizeof sizeof c, sizeof (int) * 2);
	printf("%d\n", sizeof (1 / (l = 0)));
	printf("%d\n", sizeof (n) - 9 > 0);
	printf("%d\n", sizeof -c);
}
