/*
 * Every spelling of the integer types.
 * @quiet
 */
unsigned a; unsigned int b; long int c; long unsigned int d; int long unsigned e; short int f; unsigned short int g;
long long int h; unsigned long long i; signed j; signed char k; char unsigned l; signed long m; long long unsigned int n;
BEGIN
{
	a = b = c = d = e = f = g = h = i = j = k = l = m = n = -1;
	l = (unsigned char)l; g = (unsigned short)g;
	printf("%d %d %d %d %d %d %d\n", sizeof (a), sizeof (b), sizeof (c), sizeof (d), sizeof (e), sizeof (f), sizeof (g));
	printf("%d %d %d %d %d %d %d\n", sizeof (h), sizeof (i), sizeof (j), sizeof (k), sizeof (l), sizeof (m), sizeof (n));
	printf("%d%d%d%d%d%d%d\n", a < 0, b < 0, c < 0, d < 0, e < 0, f < 0, g < 0);
	printf("%d%d%d%d%d%d%d\n", h < 0, i < 0, j < 0, k < 0, l < 0, m < 0, n < 0);
}
