/* printa(): by format, keys in order, each %@ the value; no newline of its own; printed ones are not printed at the end.
 * @quiet
 */
BEGIN
{
	@a["x", 1] = sum(10); @a["y", 2] = sum(20); @b[7] = count(); @c = sum(-3);
	printa("%s %d %@d\n", @a);
	printa("[%-5s] [%3d] [%@8d] [%-@8d] [%@x]\n", @a);
	printa("%@d %@u\n", @c);
	printa("only %@5d|", @b); printa("\n", @b);
	printa("%s\n", @a);
	printa(@a);
	printa("%@d;%@d\n", @a);
}
