/* aggsortpos: which aggregation of a printa() the rows are sorted by.
 * @quiet
 */
#pragma D option aggsortpos=1
BEGIN
{
	@a["x"] = sum(1); @a["y"] = sum(2); @a["z"] = sum(3);
	@b["x"] = sum(9); @b["y"] = sum(8); @b["z"] = sum(7);
	printa("%s %@d %@d\n", @a, @b);
}
