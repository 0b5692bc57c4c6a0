/*
 * Pointer plus integer, integer plus pointer, minus, difference.
 * @quiet
 */
struct s { char c[12]; };
BEGIN
{
	this->i = (int *)100; this->s = (struct s *)100; this->n = -2;
	printf("%d %d %d\n", (long)(this->i + 3), (long)(3 + this->i), (long)(this->i - 3));
	printf("%d %d\n", (long)(this->s + 2), (long)(this->s + this->n));
	printf("%d %d\n", (this->i + 5) - this->i, this->i - (this->i + 5));
	printf("%d %d\n", (this->s + 4) - this->s, sizeof (this->s - this->s));
	printf("%d\n", (long)(&this->i[7]));
	printf("%d\n", (long)&this->s[2].c[3]);
}
