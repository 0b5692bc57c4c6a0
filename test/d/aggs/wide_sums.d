/* N21: sums of avg, stddev and percentiles have 128 bits, in the kernel, in merges and to the end.
 * @quiet
 */
BEGIN
{
	@a = avg(9223372036854775807); @a = avg(9223372036854775807); @b = avg(-9223372036854775807 - 1); @b = avg(-9223372036854775807 - 1);
	@c = avg(-9223372036854775807 - 1); @c = avg(9223372036854775807); @c = avg(-5); @n = avg(-7); @n = avg(2);
	printa("%@d\n", @a); printa("%@d\n", @b); printa("%@d\n", @c); printa("%@d\n", @n);
	@s = stddev(1000000000); @s = stddev(1000000000); @s = stddev(1000000000); @s = stddev(1000000007);
	@t = stddev(-1000000000); @t = stddev(-1000000000); @t = stddev(-1000000000); @t = stddev(-1000000007);
	@u = stddev(9223372036854775807); @u = stddev(-9223372036854775807); @v = stddev(9223372036854775807); @v = stddev(9223372036854775801);
	@w = stddev(1); @w = stddev(2); @x = stddev(-1); @x = stddev(0); @x = stddev(0); @x = stddev(0);
	printa("%@d\n", @s); printa("%@d\n", @t); printa("%@u\n", @u); printa("%@u\n", @v); printa("%@d\n", @w); printa("%@d\n", @x);
	normalize(@a, 1000); normalize(@s, 2); normalize(@b, -1000); printa("%@d\n", @a); printa("%@d\n", @s); printa("%@d\n", @b);
	@p = percentiles(9223372036854775807); @p = percentiles(9223372036854775807); @p = percentiles(9223372036854775805); printa(@p);
}
