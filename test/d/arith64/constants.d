/*
 * N1: a constant is converted to the type that a variable was declared with; a value computed at run time stays whole.
 * @quiet
 */
uint16_t x; uint32_t y; int i, k; unsigned char a; char c; long l; _Bool b;
self int8_t s8; this uint8_t t8; short el[int]; self uint32_t sel[string]; self int last; int lasts[int];
inline int NARROW = 0x1ff;
enum wide { WIDE = 70000 };
BEGIN
{
	x = 0xbeefcafe; y = x; printf("%x %x %d\n", y, x, x == 0xcafe);
	i = 1 << 31; printf("%d %d\n", i, i < 0);
	a = -5; printf("%d %d\n", a + 0, (a = 0x100 + NARROW) + 0);
	x = WIDE; l = 1 << 31; b = 256; c = 255; printf("%d %d %d %d\n", 0L + x, l, b, 0L + c);
	self->s8 = 200; this->t8 = -1; el[1] = 65535; self->sel["x"] = -1;
	printf("%d %d %d %d\n", 0L + self->s8, 0L + this->t8, 0L + el[1], 0L + self->sel["x"]);
	a = 1 ? 300 : 0; c = sizeof (char [300]); printf("%d %d\n", 0L + a, 0L + c);
	y = x = -1; printf("%d %d\n", 0L + y, 0L + x);
}
/* known only at run time: py_flowtime.d keeps a timestamp in self int, seeksize.d in an array */
BEGIN
{
	self->last = timestamp; lasts[1] = timestamp; printf("%d %d\n", timestamp - self->last, timestamp - lasts[1]);
	self->last = 0; lasts[1] = 0;
	k = 0x7fffffff; k += 1; printf("%d\n", 0L + k); k++; printf("%d\n", 0L + k);
	this->big = 0x1ff; a = this->big; printf("%d\n", 0L + a); a = this->big ? 0x1ff : 0; printf("%d\n", 0L + a);
}
/* an element that becomes 0 is freed; a variable without a declaration keeps everything */
BEGIN { el[1] = 0x10000; first = 0; first = 0x100000005; printf("%d %d\n", el[1] == 0, first == 0x100000005); }
