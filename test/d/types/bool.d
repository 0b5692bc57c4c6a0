/*
 * _Bool holds 0 or 1, in variables and in memory.
 * @quiet
 * @mem: kernel 0x1000 hex 01 00 01
 */
struct s { _Bool a, b, c; };
_Bool b; bool c;
BEGIN
{
	b = 0x100; printf("%d ", b); b = 0; printf("%d ", b); b = -1; printf("%d\n", b);
	c = b; printf("%d %d\n", c + c, sizeof (c));
	this->s = (struct s *)0x1000; printf("%d %d %d\n", this->s->a, this->s->b, this->s->c);
	this->w = (struct s *)alloca(3); this->w->b = 42; printf("%d\n", *((char *)this->w + 1));
}
