/*
 * Signed comparison at the ends of the range does not overflow.
 * @quiet
 */
long lo, hi; int ilo, ihi;
BEGIN
{
	lo = -9223372036854775807 - 1; hi = 9223372036854775807;
	ilo = -2147483647 - 1; ihi = 2147483647;
	printf("%d %d %d %d\n", lo < hi, lo > hi, lo <= hi, lo >= hi);
	printf("%d %d %d %d\n", ilo < ihi, ilo > ihi, ilo < hi, lo < ilo);
	printf("%d %d\n", lo < 1, hi > -1);
	printf("%d %d %d %d\n", lo == lo, lo != lo, lo <= lo, lo >= lo);
}
