/*
 * Bit-fields of _Bool and enum type.
 * @quiet
 */
enum e { A, B, C, D };
struct s { _Bool x:1, y:1; enum e e:2; unsigned rest:4; };
BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->x = 4; this->s->y = 0; this->s->e = D; this->s->rest = 9;
	printf("%d %d %d %d\n", this->s->x, this->s->y, this->s->e, this->s->rest);
	this->s->y |= 2; this->s->x--; this->s->e = B; printf("%d %d %d %d\n", this->s->x, this->s->y, this->s->e == B, this->s->rest);
	printf("%d\n", this->s->e == C ? 1 : 0);
}
