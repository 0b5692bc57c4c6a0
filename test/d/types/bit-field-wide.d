/*
 * Bit-fields of long, wider than an int, and of char and short.
 * @quiet
 */
struct s { unsigned long a:40; long b:24; unsigned char c:4; unsigned char d:4; short e:9; long f:64; };
BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->a = 0xfedcba9876; this->s->b = -5; this->s->c = 0xa; this->s->d = 0x1b; this->s->e = -100; this->s->f = -7;
	printf("%x %d %x %x %d %d\n", this->s->a, this->s->b, this->s->c, this->s->d, this->s->e, this->s->f);
	this->s->a++; this->s->b--; printf("%x %d\n", this->s->a, this->s->b);
	printf("%d\n", sizeof (struct s));
}
