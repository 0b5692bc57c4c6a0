/*
 * Every assignment operator on a member; the address is evaluated once.
 * @quiet
 */
struct s { char pad; int x; short y[3]; };
BEGIN
{
	this->n = 0;
	this->p = (struct s *)alloca(2 * sizeof (struct s));
	this->p->x = 10; this->p->x += 5; printf("%d ", this->p->x); this->p->x -= 3; printf("%d ", this->p->x);
	this->p->x *= 4; printf("%d ", this->p->x); this->p->x /= 5; printf("%d ", this->p->x);
	this->p->x %= 5; printf("%d ", this->p->x); this->p->x <<= 4; printf("%d ", this->p->x);
	this->p->x >>= 1; printf("%d ", this->p->x); this->p->x |= 7; printf("%d ", this->p->x);
	this->p->x &= 0x15; printf("%d ", this->p->x); this->p->x ^= 0xff; printf("%d\n", this->p->x);
	this->p[++this->n].x = 3; this->p[this->n++].x += 4; printf("%d %d\n", this->n, this->p[1].x);
	this->p->y[2] = 7; this->p->y[1] = 5; this->p->y[1] *= this->p->y[2]; printf("%d %d\n", this->p->y[1], this->p->y[2]);
}
