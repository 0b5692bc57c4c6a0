/*
 * A char array prints as a string up to its NUL or its end.
 * @quiet
 * @mem: kernel 0x1000 hex 61 62 63 64 65 00 66 67
 */
struct s { char a[4]; char b[4]; };
BEGIN
{
	this->s = (struct s *)0x1000;
	printf("[%s] [%s]\n", this->s->a, this->s->b);
	s = this->s->b; printf("[%s] %d\n", s, strlen(s));
	printf("%d %d\n", this->s->a[0] == 'a', this->s->a[3] - this->s->b[0]);
}
