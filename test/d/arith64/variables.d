/*
 * A variable whose first value was a small constant keeps all bits of a later one: globals, self->, this->, elements (T 2).
 * @quiet
 */
char c; int declared; self int di; this short ds; int arr[int]; unsigned char ub;
BEGIN
{
	g = 0; self->s = 0; this->t = 0; a[1] = 0; self->a["x"] = 0;
}
BEGIN
{
	this->big = 0x123456789abcdef;
	g = self->s = this->t = a[1] = self->a["x"] = this->big;
	c = declared = self->di = this->ds = arr[7] = this->big;
	printf("%d %d %d %d %d\n", this->big - g, this->big - self->s, this->big - this->t, this->big - a[1], this->big - self->a["x"]);
	printf("%d %d %d %d %d\n", this->big == c, this->big == declared, this->big == self->di, this->big == this->ds, this->big == arr[7]);
	printf("%x %x %x %x %x\n", c, declared, self->di, this->ds, arr[7]);
	declared++; ++c; arr[7] += 1; self->di -= 1; this->ds <<= 4;
	printf("%d %d %d %d %x\n", declared - this->big, c - this->big, arr[7] - this->big, self->di - this->big, 0UL + this->ds);
	/* a cast cuts, and so does memory */
	this->p = (int *)alloca(8); *this->p = this->big;
	printf("%x %x %x\n", (long)(int)this->big, (long)*this->p, 0L + (unsigned char)this->big);
	ub = 200; ub += 100; printf("%d %d\n", ub, ub + 0);
}
/* freed by 0, not by what a narrower type would see as 0 */
BEGIN { self->s = 0x100000000; a[1] = 0x100000000; }
BEGIN /self->s && a[1]/ { printf("there %d %x\n", self->s, 0L + self->s); }
/* as history compares an unsigned constant that was negated with a register */
BEGIN /(long)-1 == -1u/ { printf("-1 == -1u\n"); }
