/*
 * ++, --, += and -= on pointers step by what they point to.
 * @quiet
 */
struct s { int a; long b; };
BEGIN
{
	this->c = (char *)1000; this->i = (int *)1000; this->s = (struct s *)1000; this->pp = (char **)1000;
	this->c++; this->i++; this->s++; ++this->pp;
	printf("%d %d %d %d\n", (long)this->c, (long)this->i, (long)this->s, (long)this->pp);
	printf("%d ", (long)this->i--); printf("%d ", (long)this->i); printf("%d\n", (long)--this->i);
	this->i += 3; this->s -= 2; printf("%d %d\n", (long)this->i, (long)this->s);
	g = (short *)16; g++; g += 2; printf("%d\n", (long)g);
	self->q = (long *)16; self->q--; printf("%d\n", (long)self->q);
}
