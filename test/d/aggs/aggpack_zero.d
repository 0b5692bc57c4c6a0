/* aggpack: no bucket below 0 when nothing is negative; all buckets of lquantize; columns of four (S D7). */
#pragma D option aggpack
#pragma D option encoding=ascii
BEGIN
{
	@z = quantize(0); @z = quantize(1, 2);
	@n["neg"] = quantize(-1); @n["neg"] = quantize(4000);
	@big = quantize(1000000);
	@l = lquantize(-10, -10, 20, 2, -3); @l = lquantize(0, -10, 20, 2, 3); @l = lquantize(5, -10, 20, 2);
}
