/*
 * The value of an assignment is what was assigned, all 64 bits of it; a record has what its type holds (S C1).
 * @quiet
 */
char c; unsigned char uc; int i; _Bool b;
BEGIN
{
	printf("%d\n", c = 300);
	printf("%d\n", uc = -1);
	printf("%d\n", i = 0x1ffffffff);
	printf("%d\n", b = 256);
	printf("%d\n", c += 100);
	printf("%d\n", uc += 2);
	i = c = uc = 200; printf("%d %d %d\n", i, c, uc);
}
