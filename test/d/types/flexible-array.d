/*
 * A flexible array has no size of its own and is indexed beyond the struct.
 * @quiet
 * @mem: kernel 0x1000 u32 3 10 20 30
 */
struct f { int n; int v[]; };
BEGIN
{
	this->f = (struct f *)0x1000;
	printf("%d %d\n", sizeof (struct f), offsetof(struct f, v));
	printf("%d %d %d\n", this->f->v[0], this->f->v[1], this->f->v[this->f->n - 1]);
}
