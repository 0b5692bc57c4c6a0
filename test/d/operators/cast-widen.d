/*
 * A cast to a wider type extends the sign of a signed operand. An unsigned one stays as it is: a variable has 64 bits (S C1).
 * The value of u = -1 is what u holds; us and uc get it whole (N1).
 * @quiet
 */
char c; unsigned char uc; short s; unsigned short us; int i; unsigned int u;
BEGIN
{
	c = s = i = -1; uc = us = u = -1;
	printf("%d %d %d\n", (long)c, (long)s, (long)i);
	printf("%d %d %d\n", (long)uc, (long)us, (long)u);
	printf("%u %u %u\n", (unsigned long)c, (unsigned int)s, (unsigned long)i);
	printf("%u %d\n", (unsigned long)uc, (int)us);
	printf("%u %u\n", (unsigned long)(char)-1, (unsigned long)(unsigned char)-1);
}
