/*
 * Clause-local variables of by-value and by-reference types.
 * @quiet
 */
struct pt { char c; int x; };
this struct pt p;
this char buf[4];
this uint8_t u;
dtrace:::BEGIN
{
	this->p.c = -1; this->p.x = 0x12345678;
	this->buf[0] = 'a'; this->buf[3] = 'd';
	this->u = 300;
	printf("%d %x %d %c%c %d\n", this->p.c, this->p.x, this->buf[1], this->buf[0], this->buf[3], this->u);
}
dtrace:::BEGIN { this->q = this->p; printf("%d %x\n", this->q.c, this->q.x); }
