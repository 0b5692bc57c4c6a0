/*
 * S C4: print() and trace() of a translated object build all of it.
 * @quiet
 */
struct in { int a; int b; };
struct sub { int x; string s; };
struct out { int first; struct sub inner; long unset; int bits:3; };
translator struct sub < int v > { x = v; s = "inside"; };
translator struct out < struct in *p > { first = p->a; inner = xlate <struct sub> (p->b); bits = 5; };
this struct in *in;
inline struct out *o = xlate <struct out *> (this->in);
BEGIN
{
	this->in = (struct in *)alloca(sizeof (struct in));
	this->in->a = 20;
	this->in->b = 30;
	print(*o);
	print(*xlate <struct out *> (this->in));
	printf("\n%d %d\n", (*o).first, (*o).inner.x);
}
