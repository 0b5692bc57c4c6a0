/*
 * Members of every kind, through -> and .
 * @quiet
 * @mem: kernel 0x1000 hex 01 00 fe ff 03 00 00 00 fc ff ff ff ff ff ff ff 00 20 00 00 00 00 00 00 61 62 63 00
 * @mem: kernel 0x2000 u32 99
 */
struct s { char c; short h; int i; long l; int *p; char name[4]; };
BEGIN
{
	this->s = (struct s *)0x1000;
	printf("%d %d %d %d\n", this->s->c, this->s->h, this->s->i, this->s->l);
	printf("%d [%s] %c\n", *this->s->p, this->s->name, this->s->name[1]);
	printf("%d %d\n", (*this->s).i, this->s[0].h);
	printf("%x\n", (long)&this->s->name);
}
