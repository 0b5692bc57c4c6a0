/*
 * Structs in structs, arrays of structs, pointers to structs.
 * @quiet
 * @mem: kernel 0x1000 u32 1 2 3 4 5 6
 * @mem: kernel 0x2000 u64 0x1000 0x1008
 */
struct pt { int x, y; };
struct box { struct pt a, b[2]; };
struct ref { struct pt *p; struct pt *q; };
BEGIN
{
	this->b = (struct box *)0x1000; this->r = (struct ref *)0x2000;
	printf("%d %d\n", this->b->a.y, this->b->b[1].x);
	printf("%d %d\n", this->r->p->x, this->r->q[1].y);
	printf("%d\n", (this->r->q - 1)->x);
	printf("%d\n", (&this->b->b[0])->y);
	printf("%d\n", sizeof (struct box));
}
