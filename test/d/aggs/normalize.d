/* normalize() divides what is printed, and only that; denormalize() ends it.
 * @quiet
 */
BEGIN
{
	@s["a"] = sum(1000); @s["b"] = sum(-2500); @v = avg(1000); @d = stddev(100); @d = stddev(300); @q = quantize(4, 10); @n = max(500);
	normalize(@s, 1000); printa("%s %@d\n", @s); normalize(@s, 10); printa("%s %@d\n", @s);
	normalize(@v, 100); printa("avg %@d\n", @v); normalize(@d, 10); printa("stddev %@d\n", @d); normalize(@q, 3); printa(@q);
	normalize(@n, 3); printa("max %@d\n", @n); denormalize(@s); printa("%s %@d\n", @s); normalize(@n, 0); @t = sum(7); normalize(@t, 2);
}
