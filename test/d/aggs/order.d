/* Aggregations in the order they appear; elements by value, then by key. */
BEGIN
{
	@b["z"] = sum(1); @b["a"] = sum(3); @b["m"] = sum(2); @b["k"] = sum(2); @b["neg"] = sum(-1);
	@a[3] = count(); @a[1] = count(); @a[2] = count();
	@b["z"] = sum(0);
	@m["x"] = max(-5); @m["y"] = max(5);
	@q["many"] = quantize(8); @q["few"] = quantize(1);
}
