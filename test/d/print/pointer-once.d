/*
 * A pointer given to print() is evaluated once, though it and its object are both recorded.
 * @mem: kernel 0x1000 u32 7 8
 * @quiet
 */
int *p;
BEGIN
{
	p = (int *)0x1000;
	print(p++);
	printf("%p\n", p);
	exit(0);
}
