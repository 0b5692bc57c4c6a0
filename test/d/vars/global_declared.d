/*
 * Declared globals of each width hold what fits in them and start at 0.
 * @quiet
 */
char c; unsigned char uc; short s; unsigned short us;
int i; unsigned int ui; long l; uint64_t ul; string str; int *p; void *v;
dtrace:::BEGIN
{
	printf("%d %d %d %d %d %d %d %d [%s] %p %p\n", c, uc, s, us, i, ui, l, ul, str, p, v);
	c = 0x1ff; uc = 0x1ff; s = 0x1ffff; us = 0x1ffff; i = 0x1ffffffff; ui = 0x1ffffffff;
	l = -1; ul = -1; str = "text"; p = (int *)0x10; v = (void *)0x20;
	printf("%d %d %d %d %d %u %d %u [%s] %p %p\n", c, uc, s, us, i, ui, l, ul, str, p, v);
}
