/*
 * Structs, unions and enums without a tag.
 * @quiet
 */
struct { int a; union { int b; char c; } u; } g; enum { X = 4 } e; union { short s; char c[2]; } w;
BEGIN
{
	g.a = 1; g.u.b = 0x142; e = X; w.s = 0x4142;
	printf("%d %d %c %d %c%c\n", g.a, g.u.b, g.u.c, e, w.c[1], w.c[0]);
}
