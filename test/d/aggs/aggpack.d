/* aggpack: a histogram a line. */
#pragma D option aggpack
#pragma D option encoding=ascii
BEGIN
{
	@q["a"] = quantize(1); @q["a"] = quantize(2); @q["a"] = quantize(2); @q["b"] = quantize(16, 7); @q["b"] = quantize(8, 3);
	@l["a"] = lquantize(5, 0, 50, 10); @l["b"] = lquantize(45, 0, 50, 10); @l["b"] = lquantize(15, 0, 50, 10); @n["a"] = count();
}
