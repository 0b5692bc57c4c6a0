/*
 * Members of anonymous structs and unions are members of the outer one.
 * @quiet
 * @mem: kernel 0x1000 u32 1 0x02030405 6
 */
struct s { int a; union { unsigned int b; struct { unsigned char c, d; }; }; int e; };
BEGIN
{
	this->s = (struct s *)0x1000;
	printf("%d %x %x %x %d\n", this->s->a, this->s->b, this->s->c, this->s->d, this->s->e);
}
