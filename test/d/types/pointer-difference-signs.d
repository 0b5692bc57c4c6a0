/*
 * Differences of pointers to sizes that are no powers of 2, both ways.
 * @quiet
 */
struct three { char c[3]; };
struct twelve { int a[3]; };
BEGIN
{
	this->p = (struct three *)300; this->q = (struct three *)270; this->r = (struct twelve *)0xffff800000000000;
	printf("%d %d\n", this->p - this->q, this->q - this->p);
	printf("%d %d\n", (this->r + 7) - this->r, (this->r - 7) - this->r);
	printf("%d\n", this->p - this->q > 0);
	printf("%d\n", (char *)this->p - (char *)this->q);
}
