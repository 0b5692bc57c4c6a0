/*
 * float and double are copied and printed, not computed with.
 * @quiet
 * @mem: kernel 0x1000 hex 00 00 c0 3f 00 00 00 00 00 00 00 00 00 00 04 c0
 */
struct s { float f; double d; };
BEGIN
{
	printf("%d %d\n", sizeof (struct s), offsetof(struct s, d));
	printf("%f %f\n", ((struct s *)0x1000)->f, ((struct s *)0x1000)->d);
}
