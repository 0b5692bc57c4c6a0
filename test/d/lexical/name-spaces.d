/*
 * x, self->x, this->x, @x and a member x are five things.
 * @quiet
 */
struct x { int x; };
BEGIN
{
	x = 1; self->x = 2; this->x = 3; @x = sum(4);
	this->p = (struct x *)alloca(sizeof (struct x)); this->p->x = 5;
	printf("%d %d %d %d", x, self->x, this->x, this->p->x);
	printa(" %@d\n", @x);
	clear(@x);
}
END { trunc(@x); }
