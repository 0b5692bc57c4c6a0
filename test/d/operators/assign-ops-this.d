/*
 * Every assignment operator on a clause-local variable.
 * @quiet
 */
this int x;
BEGIN
{
	this->x = 10; this->x += 5; printf("%d ", this->x); this->x -= 3; printf("%d ", this->x);
	this->x *= 4; printf("%d ", this->x); this->x /= 5; printf("%d ", this->x); this->x %= 5; printf("%d ", this->x);
	this->x <<= 4; printf("%d ", this->x); this->x >>= 1; printf("%d ", this->x); this->x |= 7; printf("%d ", this->x);
	this->x &= 0x15; printf("%d ", this->x); this->x ^= 0xff; printf("%d\n", this->x);
}
