/* trunc(): the n largest stay, with -n the n smallest, without n none; what comes again starts anew.
 * @quiet
 */
BEGIN
{
	@a["a"] = sum(1); @a["b"] = sum(2); @a["c"] = sum(3); @a["d"] = sum(4);
	@b["a"] = sum(1); @b["b"] = sum(2); @b["c"] = sum(3); @b["d"] = sum(4);
	@c["a"] = sum(1); @c["b"] = sum(2); @d["a"] = sum(1); @e["a"] = sum(1); @e["b"] = sum(2);
}
BEGIN { trunc(@a, 2); printa("a %s %@d\n", @a); trunc(@b, -1); printa("b %s %@d\n", @b); trunc(@c); printa("c %s %@d\n", @c); trunc(@d, 0); printa("d %s %@d\n", @d); trunc(@e, 10); printa("e %s %@d\n", @e); }
BEGIN { @a["a"] = sum(7); @c["a"] = sum(7); printa("a %s %@d\n", @a); printa("c %s %@d\n", @c); }
