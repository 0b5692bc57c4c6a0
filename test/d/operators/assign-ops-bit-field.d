/*
 * Every assignment operator on a bit-field; its neighbours stay.
 * @quiet
 */
struct s { unsigned a:3; int x:9; unsigned b:4; };
BEGIN
{
	this->p = (struct s *)alloca(sizeof (struct s));
	this->p->a = 5; this->p->b = 9;
	this->p->x = 10; this->p->x += 5; printf("%d ", this->p->x); this->p->x -= 3; printf("%d ", this->p->x);
	this->p->x *= 4; printf("%d ", this->p->x); this->p->x /= 5; printf("%d ", this->p->x);
	this->p->x %= 5; printf("%d ", this->p->x); this->p->x <<= 4; printf("%d ", this->p->x);
	this->p->x >>= 1; printf("%d ", this->p->x); this->p->x |= 7; printf("%d ", this->p->x);
	this->p->x &= 0x15; printf("%d ", this->p->x); this->p->x ^= 0xff; printf("%d\n", this->p->x);
	this->p->x = 255; printf("%d\n", ++this->p->x);
	printf("%d %d\n", this->p->a, this->p->b);
}
