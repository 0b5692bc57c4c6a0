/*
 * Assignment copies a whole struct.
 * @quiet
 * @mem: kernel 0x1000 u32 1 2 3
 */
struct s { int a, b, c; };
struct s g;
BEGIN
{
	g = *(struct s *)0x1000; printf("%d %d %d\n", g.a, g.b, g.c);
	this->t = g; printf("%d\n", this->t.c);
	g.b = 7; printf("%d %d %d\n", g.a, g.b, this->t.b);
	self->u = g; printf("%d %d\n", self->u.b, sizeof (self->u));
	m["k"] = g; printf("%d %d\n", m["k"].b, m["none"].b);
}
