/*
 * String members of structs in variables of every kind, in arrays of strings and nested structs (S C2, P 4.4); bcopy() of a length
 * known only when it runs to their arrays of char.
 * @quiet
 */
struct in { int k; string s; };
struct st { string a; int n; char t[12]; struct in deep; string list[3]; };
struct st g; self struct st s; this struct st l; struct st c[int]; self struct st d[string];
BEGIN
{
	g.a = "global"; self->s.a = "self"; this->l.a = "this"; c[0].a = "element"; self->d["x"].a = "self element";
	g.n = 1; self->s.n = 2; this->l.n = 3; c[0].n = 4; self->d["x"].n = 5;
	g.deep.s = "deep g"; self->s.deep.s = "deep s"; this->l.deep.s = "deep l"; c[0].deep.s = "deep c"; self->d["x"].deep.s = "deep d";
	g.list[1] = "list g"; self->s.list[2] = "list s"; this->l.list[0] = "list l"; c[0].list[1] = "list c"; self->d["x"].list[2] = execname;
	printf("%s %s %s %s %s\n", g.a, self->s.a, this->l.a, c[0].a, self->d["x"].a);
	printf("%d %d %d %d %d\n", g.n, self->s.n, this->l.n, c[0].n, self->d["x"].n);
	printf("%s %s %s %s %s\n", g.deep.s, self->s.deep.s, this->l.deep.s, c[0].deep.s, self->d["x"].deep.s);
	printf("%s %s %s %s %d\n", g.list[1], self->s.list[2], this->l.list[0], c[0].list[1], strlen(self->d["x"].list[2]) > 0);
	bcopy("0123456789", g.t, g.n + 5); bcopy("0123456789", c[0].t, c[0].n); printf("%s|%s\n", stringof(g.t), stringof(c[0].t));
}
BEGIN
{
	c[1].a = strjoin(g.a, c[0].a); printf("%s|%d\n", c[1].a, c[1].n);
}
