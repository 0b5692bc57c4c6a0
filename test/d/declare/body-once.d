/*
 * S C7: the body of a declaration is made once for all its names.
 * @quiet
 */
struct st { int m; } a, b;
typedef struct pt { char c[3]; } pt_t, *pt_p;
struct o { struct i { int m; } x, y; };
enum e { A, B } f, g;
BEGIN, BEGIN
{
	a.m = 1; b.m = 2; f = B;
	printf("%d %d %d %d %d %d %d\n", a.m, b.m, sizeof (pt_t), sizeof (pt_p), sizeof (struct o), f == B, g == A);
	printf("%d\n", sizeof (struct here { long x; }));
}
