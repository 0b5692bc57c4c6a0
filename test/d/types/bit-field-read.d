/*
 * Signed and unsigned bit-fields, crossing bytes.
 * @quiet
 * @mem: kernel 0x1000 hex b5 96 3c a7
 */
struct s { unsigned a:3; int b:3; unsigned c:7; int d:5; unsigned e:14; };
BEGIN
{
	this->s = (struct s *)0x1000;
	printf("%d %d %d %d %d\n", this->s->a, this->s->b, this->s->c, this->s->d, this->s->e);
	printf("%d\n", sizeof (struct s));
}
