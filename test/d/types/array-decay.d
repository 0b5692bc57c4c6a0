/*
 * An array is the address of its first element, except for sizeof and &.
 * @quiet
 * @mem: kernel 0x1000 hex 02 00 00 00 05 00 06 00 07 00 08 00
 */
struct s { int n; short a[4]; };
BEGIN
{
	this->s = (struct s *)0x1000;
	printf("%d %d %d\n", *this->s->a, *(this->s->a + 1), this->s->a[this->s->n]);
	printf("%d %d\n", sizeof (this->s->a), sizeof (&this->s->a[0]));
	this->p = this->s->a; printf("%d %d\n", this->p[3], sizeof (this->p));
	printf("%x %x\n", (long)this->s->a, (long)&this->s->a);
	printf("%d\n", this->s->a == &this->s->a[0]);
	printf("%d\n", &this->s->a[3] - this->s->a);
}
