/*
 * Writing one bit-field leaves the others; what is stored is cut to the width, the value of the assignment is not.
 * @quiet
 */
struct s { unsigned a:3; int b:3; unsigned c:7; int d:5; unsigned e:14; };
BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->a = 5; this->s->b = -2; this->s->c = 0x7f; this->s->d = -16; this->s->e = 0x2aaa;
	printf("%d %d %d %d %d\n", this->s->a, this->s->b, this->s->c, this->s->d, this->s->e);
	this->s->c = 0; printf("%d %d %d %d %d\n", this->s->a, this->s->b, this->s->c, this->s->d, this->s->e);
	this->s->b = 9; this->s->d = 31; this->s->a = -1;
	printf("%d %d %d %d %d\n", this->s->a, this->s->b, this->s->c, this->s->d, this->s->e);
	printf("%d %d\n", this->s->a = 12, this->s->b = 6);
	printf("%x\n", *(int *)this->s);
}
