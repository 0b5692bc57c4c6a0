/*
 * Rows and columns of arrays in memory.
 * @quiet
 * @mem: kernel 0x1000 u16 0 1 2 10 11 12 20 21 22 30 31 32
 */
struct m { short a[4][3]; };
struct c { short a[2][2][3]; };
BEGIN
{
	this->p = (struct m *)0x1000; this->q = (struct c *)0x1000;
	printf("%d %d %d\n", this->p->a[0][0], this->p->a[2][1], this->p->a[3][2]);
	printf("%d %d\n", sizeof (this->p->a), sizeof (this->p->a[0]));
	printf("%d %d\n", *this->p->a[2], **this->p->a);
	printf("%d\n", this->q->a[1][0][2]);
	this->i = 1; this->j = 2; printf("%d\n", this->p->a[this->i][this->j]);
	printf("%d\n", (long)&this->p->a[1] - (long)&this->p->a[0]);
}
