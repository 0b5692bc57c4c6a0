/*
 * Pointers compare with each other, with NULL and 0; high addresses are larger.
 * @quiet
 */
BEGIN
{
	this->a = (char *)0x1000; this->b = (char *)0xffff800000000000; this->v = (void *)0x1000;
	printf("%d%d%d%d%d%d\n", this->a == this->b, this->a != this->b, this->a < this->b, this->a <= this->b,
	    this->a > this->b, this->a >= this->b);
	printf("%d%d%d\n", this->a == this->v, this->a == NULL, this->a != 0);
	printf("%d\n", this->a < this->a + 1);
}
