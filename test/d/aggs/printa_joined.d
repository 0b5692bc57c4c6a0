/* Several aggregations by key; a missing element counts as zero; sorted by the first, then the next, then by key.
 * @quiet
 */
BEGIN
{
	@n["a"] = count(); @n["a"] = count(); @n["b"] = count(); @n["d"] = count();
	@s["a"] = sum(-5); @s["c"] = sum(7); @s["d"] = sum(-2);
	@v["a"] = avg(3); @m["a"] = min(3);
	printa("%-3s %@5d %@5d %@5d\n", @n, @s, @v);
	printa("%s %@d %@d\n", @s, @n);
	printa(@n, @s);
	printa("%@d %@d %@d %s\n", @n, @s);
}
