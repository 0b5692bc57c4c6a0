/*
 * Members, arrays, nested members and bit-fields of struct variables in every scope.
 * @quiet
 */
struct in { short a, b; };
struct s { int x; char c; struct in in; int arr[3]; unsigned f:3; int g:5; union { int u; char v; }; };
struct s g; self struct s t; this struct s l;
BEGIN
{
	g.x = 1; g.c = 300; g.in.b = 7; g.arr[2] = 9; g.f = 13; g.g = -3; g.u = 0x141;
	printf("%d %d %d %d %d %d %c\n", g.x, g.c, g.in.b, g.arr[2], g.f, g.g, g.v);
	g.x++; g.arr[2] += 5; g.f--; g.g <<= 1; ++g.in.b;
	printf("%d %d %d %d %d\n", g.x, g.arr[2], g.f, g.g, g.in.b);
	self->t.x = 2; self->t.in.a = 3; self->t.arr[0] = 4; self->t.f = 5; self->t.g = 6;
	printf("%d %d %d %d %d\n", self->t.x, self->t.in.a, self->t.arr[0], self->t.f, self->t.g);
	this->l.x = 5; this->l.in.a = -6; this->l.arr[1] = 7; this->l.g = -8; this->l.x *= 3;
	printf("%d %d %d %d\n", this->l.x, this->l.in.a, this->l.arr[1], this->l.g);
	this->i = 1; g.arr[this->i] = g.arr[this->i + 1] * 2; printf("%d\n", g.arr[1]);
}
