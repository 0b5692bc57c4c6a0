/*
 * Bit-fields over bytes in a union.
 * @quiet
 */
union r { unsigned char raw; struct { unsigned char lo:4, hi:4; } n; struct { signed char a:1, b:7; } s; };
BEGIN
{
	this->r = (union r *)alloca(1); this->r->raw = 0xa5;
	printf("%x %x %d %d\n", this->r->n.lo, this->r->n.hi, this->r->s.a, this->r->s.b);
	this->r->n.hi = 3; printf("%x\n", this->r->raw);
	this->r->n.lo += 0xc; printf("%x\n", this->r->raw);
}
