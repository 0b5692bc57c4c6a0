/*
 * The members of a union lie on each other.
 * @quiet
 */
union u { int i; unsigned char b[4]; short h; struct { short lo, hi; } w; };
BEGIN
{
	this->u = (union u *)alloca(sizeof (union u));
	this->u->i = 0x12345678;
	printf("%x %x %x\n", this->u->b[0], this->u->b[3], this->u->h);
	printf("%x %x\n", this->u->w.lo, this->u->w.hi);
	this->u->b[1] = 0xff; printf("%x\n", this->u->i);
	printf("%d\n", sizeof (union u));
}
