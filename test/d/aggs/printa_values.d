/* %@ of each function: a number for all but the histograms.
 * @quiet
 */
BEGIN
{
	@c = count(); @s = sum(-5); @lo = min(-3); @hi = max(-3); @a = avg(-7); @d = stddev(4); @q = quantize(4); @l = lquantize(4, 0, 10, 5);
	printa("count %@d %@u %@x\n", @c); printa("sum %@d %@i %@x %@lld\n", @s); printa("min %@d\n", @lo); printa("max %@d\n", @hi);
	printa("avg %@d\n", @a); printa("stddev %@d %@u\n", @d); printa("quantize %@d|\n", @q); printa("lquantize %@d|\n", @l);
}
