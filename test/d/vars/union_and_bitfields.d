/*
 * Members of a union lie over each other; bit-fields keep their width and neighbours.
 * @quiet
 */
union u { uint32_t w; uint8_t b[4]; };
struct bf { unsigned int a : 3; unsigned int b : 5; int c : 4; unsigned int d : 20; };
union u u;
struct bf f;
dtrace:::BEGIN
{
	u.w = 0x04030201; printf("%d %d\n", u.b[0], u.b[3]);
	u.b[1] = 0xff; printf("%x\n", u.w);
	f.a = 9; f.b = 31; f.c = 9; f.d = 0xabcde;
	printf("%d %d %d %x\n", f.a, f.b, f.c, f.d);
	f.b = 0; f.a += 2; printf("%d %d %d %x\n", f.a, f.b, f.c, f.d);
}
