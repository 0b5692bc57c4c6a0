/* clear() keeps the keys with nothing counted; counting goes on from there.
 * @quiet
 */
BEGIN { @n["a"] = count(); @n["b"] = count(); @s = sum(5); @v = avg(3); @d = stddev(3); @q = quantize(3); @lo = min(3); @hi = max(3); }
BEGIN { clear(@n); printa("%s %@d\n", @n); clear(@s); clear(@v); clear(@d); clear(@q); clear(@lo); clear(@hi); printa("%@d %@d %@d %@d %@d\n", @s, @v, @d, @lo, @hi); printa(@q); }
BEGIN { @n["a"] = count(); @n["a"] = count(); @s = sum(2); @v = avg(8); @lo = min(9); }
BEGIN { printa("%s %@d\n", @n); printa("%@d %@d %@d\n", @s, @v, @lo); }
