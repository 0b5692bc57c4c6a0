/*
 * Every assignment operator on a thread-local variable.
 * @quiet
 */
self int x;
BEGIN
{
	self->x = 10; self->x += 5; printf("%d ", self->x); self->x -= 3; printf("%d ", self->x);
	self->x *= 4; printf("%d ", self->x); self->x /= 5; printf("%d ", self->x); self->x %= 5; printf("%d ", self->x);
	self->x <<= 4; printf("%d ", self->x); self->x >>= 1; printf("%d ", self->x); self->x |= 7; printf("%d ", self->x);
	self->x &= 0x15; printf("%d ", self->x); self->x ^= 0xff; printf("%d\n", self->x);
}
