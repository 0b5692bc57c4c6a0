/*
 * A variable takes its type from the first assignment.
 * @quiet
 * @kernel: no, because the time is told
 */
struct s { int a; };
BEGIN
{
	a = 1; b = 1l; c = 'x'; d = "text"; e = (char)1; f = (struct s *)8; g = 1u; h = (short)-1;
	printf("%d %d %d %d %d %d %d %d\n", sizeof (a), sizeof (b), sizeof (c), sizeof (d), sizeof (e), sizeof (f), sizeof (g), sizeof (h));
	a = 0x1ffffffff; e = 300; printf("%d %d\n", a, e);
	g = -1; printf("%d\n", g > 0);
	i = a == 1; printf("%d\n", sizeof (i));
	t = timestamp; printf("%d\n", sizeof (t));
	p = pid; printf("%d\n", sizeof (p));
}
