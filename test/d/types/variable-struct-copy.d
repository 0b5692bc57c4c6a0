/*
 * Copies of struct variables are independent, through every scope and a member.
 * @quiet
 */
struct in { int a, b; };
struct s { struct in p, q; };
struct s g;
BEGIN
{
	g.p.a = 1; g.p.b = 2; g.q = g.p; g.p.a = 10;
	printf("%d %d %d %d\n", g.p.a, g.p.b, g.q.a, g.q.b);
	this->c = g.q; this->c.b = 5; printf("%d %d\n", this->c.b, g.q.b);
	self->d = g; self->d.p = this->c; printf("%d %d %d\n", self->d.p.b, g.p.b, self->d.q.a);
	g = self->d; printf("%d\n", g.p.b);
}
