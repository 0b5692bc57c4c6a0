/*
 * ?: and comma between pointers, then ->.
 * @quiet
 * @mem: kernel 0x1000 u32 1 2
 */
struct s { int a; };
BEGIN
{
	this->p = (struct s *)0x1000; this->q = this->p + 1; this->z = 0;
	printf("%d %d\n", (this->z ? this->p : this->q)->a, (this->p, this->q)->a);
	printf("%d\n", (*(this->z ? this->q : this->p)).a);
	printf("%d\n", (this->r = this->q)->a);
	printf("%d\n", (1 ? this->p : this->q)[1].a);
}
