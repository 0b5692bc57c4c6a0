/* Histograms of equal weight, here 0: the count at 0 decides, not that below the base (S D5). */
BEGIN
{
	@["zeros"] = lquantize(0, -10, 10, 5, 2);
	@["below"] = lquantize(-100, -10, 10, 5, 5); @["below"] = lquantize(5, -10, 10, 5, 11);
}
