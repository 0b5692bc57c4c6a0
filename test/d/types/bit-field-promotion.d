/*
 * A bit-field that fits an int is an int in an expression.
 * @quiet
 */
struct s { unsigned a:5; unsigned b:31; unsigned c:32; enum e { A, B } d:2; _Bool f:1; };
BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->a = 1; this->s->b = 1; this->s->c = 1; this->s->d = B; this->s->f = 7;
	printf("%d %d %d\n", this->s->a - 2 < 0, this->s->b - 2 < 0, this->s->c - 2 < 0);
	printf("%d %d\n", ~this->s->a, -this->s->b);
	printf("%d %d\n", this->s->d == B, this->s->f);
	printf("%d\n", sizeof (this->s->f ? this->s->a : 0));
}
