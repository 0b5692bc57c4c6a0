/*
 * ++ and -- on self-> and this->.
 * @quiet
 */
self char x; this unsigned short y;
BEGIN
{
	self->x = 127; printf("%d ", self->x++); printf("%d ", self->x); printf("%d ", --self->x); printf("%d\n", self->x--);
	this->y = 0; printf("%d ", this->y--); printf("%d ", this->y); printf("%d ", ++this->y); printf("%d\n", this->y++);
	self->x = 1; self->x--; printf("%d\n", self->x);
}
