/*
 * The arms of ?: meet in their common type; the arm that a constant condition takes stands alone.
 * @quiet
 */
BEGIN
{
	o = 1; z = 0;
	printf("%d %d\n", sizeof (o ? 1 : 1l), sizeof (o ? 'a' : (char)1));
	printf("%d %d\n", (o ? -1 : 1u) < 0, (o ? -1 : 1l) < 0);
	printf("%d\n", (1 ? -1 : 1u) < 0);
	printf("%s %s\n", o ? "yes" : "no", z ? "yes" : "no");
	printf("%s\n", o ? execname : "none");
	this->p = o ? (int *)16 : NULL; printf("%d\n", (long)this->p);
	this->p = z ? (int *)16 : NULL; printf("%d\n", (long)this->p);
}
