/*
 * percentiles(): exact for small numbers, at both ends, and for one value; within 3 % elsewhere. Keys, order, formats,
 * normalize() and clear() are those of every aggregation.
 */
BEGIN
{
	@one = percentiles(123456789);
	@small = percentiles(1); @small = percentiles(2); @small = percentiles(3); @small = percentiles(4);
	@small = percentiles(5); @small = percentiles(6); @small = percentiles(7); @small = percentiles(8);
	@small = percentiles(9); @small = percentiles(10);
	@signs = percentiles(-7); @signs = percentiles(0); @signs = percentiles(7);
	@lat["fast"] = percentiles(1000); @lat["fast"] = percentiles(2000);
	@lat["slow"] = percentiles(1000000); @lat["slow"] = percentiles(3000000); @lat["slow"] = percentiles(2000000);
	@ends = percentiles(0x7fffffffffffffff); @ends = percentiles(-0x7fffffffffffffff - 1);
}

BEGIN
{
	printa("%@d\n", @one);
	printa("%@d\n", @small);
	printa("%@d\n", @signs);
	printa("%@d\n", @ends);
	printa(@lat);
	normalize(@lat, 1000);
	printa("%-6s%@d\n", @lat);
	trunc(@lat, 1);
	denormalize(@lat);
	printa("%s%@d\n", @lat);
	clear(@small);
	printa("%@d\n", @small);
	trunc(@one); trunc(@small); trunc(@signs); trunc(@ends); trunc(@lat);
	exit(0);
}
