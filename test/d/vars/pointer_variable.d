/*
 * Pointers in variables: arithmetic by the size of what they point to, reads of told memory.
 * @quiet
 * @mem: kernel 0x1000 u32 10 20 30 40
 */
int *p;
dtrace:::BEGIN
{
	p = (int *)0x1000; self->p = p + 1; this->p = &p[3];
	printf("%d %d %d %d\n", *p, *self->p, *this->p, this->p - p);
	p++; printf("%d %p\n", *p, p); p += 2; printf("%d %p\n", *p, p); p--; printf("%d\n", *p);
}
