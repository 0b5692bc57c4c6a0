/*
 * D computes in 64 bits, whatever the types; a record has what its type holds (S C1, P 4.2).
 * @quiet
 */
BEGIN
{
	x = 5; y = 3; i = 25920; w = 100000;
	printf("%d %d\n", y * 1000000000 > 2500000000, x * 1000000000 == 5000000000);
	printf("%d\n", i - (i + (i * 3) + i) * i / i * i);
	this->m = 0xf00000000; printf("%d\n", (this->m & (1 << 35)) != 0);
	this->n = 35; this->one = 1; printf("%d\n", (this->m & (this->one << this->n)) != 0);
	@sum = sum(x * 1000000000); @sum2 = sum(w * 100000); @min = min(1075064400 * 1000000000); @max = max((1 << 63) - 1);
	@q = quantize(1 << 32); @l = lquantize(x << 30, 0, 30000, 10000); @avg = avg(w * w);
	printa("%@d\n", @sum); printa("%@d\n", @sum2); printa("%@d\n", @min); printa("%@d\n", @max); printa("%@d\n", @avg);
	printa(@q); printa(@l);
}
