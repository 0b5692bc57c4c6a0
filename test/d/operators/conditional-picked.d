/*
 * A condition known while compiling picks its arm before the arms are checked (T 1).
 * @quiet
 * @args: 1
 */
inline int OPT_a = 1;
inline int OPT_b = 0;
inline int OPT_n = $1;
BEGIN
{
	OPT_a ? printf("action\n") : 1;
	OPT_b ? printf("never %d\n", nosuch->member) : 1;
	OPT_a && !OPT_b ? printf("and\n") : 1;
	OPT_b == 0 ? OPT_n ? printf("nested\n") : 1 : exit(1);
	OPT_a ? @c[probename, 2] = count() : 1;	/* the two have different keys */
	OPT_b ? @c[probename] = count() : 1;
	OPT_a ? this->v = 7 : 1;
	OPT_b ? this->v = "a string" : 1;
	OPT_a ? @s[this->v] = sum(this->v) : 1;
	@m = OPT_b ? min(1) : max(2);
	printf(OPT_a ? "format %d\n" : "%s", this->v);
	OPT_a ? printa("%d %@d\n", OPT_b ? @c : @s) : 1;
	printa("%@d\n", @m);
	(OPT_a ? x : y) = 3;
	trace(x + 1);
}
