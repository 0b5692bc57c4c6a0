/*
 * The arms of ?: meet in their common type, also if the condition is a constant (N19). An arm that is not taken need not be a value.
 * @quiet
 */
BEGIN
{
	o = 1; z = 0;
	printf("%d %d\n", sizeof (o ? 1 : 1l), sizeof (o ? 'a' : (char)1));
	printf("%d %d\n", (o ? -1 : 1u) < 0, (o ? -1 : 1l) < 0);
	printf("%d %d %d\n", (1 ? -1 : 1u) < 0, (0 ? 1u : -1) < 0, (1 ? o : ~0ULL) < 3);
	printf("%d %d %d %d\n", sizeof (1 ? o : ~0ULL), sizeof (0 ? 1l : 'a'), sizeof (1 ? 1 : nosuch(1)), sizeof (1 ? 1 : (new = 2l)));
	printf("%d %d\n", sizeof (1 ? 1 : strlen("a")), sizeof (1 ? 1 : strtoll("1")));
	printf("%d %d\n", (1 ? -1 : nosuch->member) < 0, (0 ? self->new++ : -1) < 0);
	this->p = 1 ? NULL : (int *)16; printf("%d %d\n", (long)this->p, (1 ? 0 : this->p) == this->p);
	trace(1 ? -1 : 1ull); printf("\n");
	printf("%s %s\n", o ? "yes" : "no", z ? "yes" : "no");
	printf("%s\n", o ? execname : "none");
	this->p = o ? (int *)16 : NULL; printf("%d\n", (long)this->p);
	this->p = z ? (int *)16 : NULL; printf("%d\n", (long)this->p);
}
