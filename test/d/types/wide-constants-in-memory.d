/*
 * Values of 64 bits survive a trip through every kind of variable.
 * @quiet
 */
long g; self long t; this long l; long m[int];
BEGIN
{
	g = self->t = this->l = m[1] = -9223372036854775807 - 1;
	printf("%d %d %d %d\n", g, self->t, this->l, m[1]);
	g = self->t = this->l = m[1] = 0x7fffffffffffffff;
	printf("%d %d %d %d\n", g, self->t, this->l, m[1]);
}
