/* aggsortpos and aggsortkeypos beyond the last mean the first (S D3). */
#pragma D option quiet
#pragma D option aggsortpos=3
#pragma D option aggsortkeypos=5
BEGIN
{
	@a[1, 2] = sum(10); @b[1, 2] = sum(1); @a[2, 1] = sum(5); @b[2, 1] = sum(8);
	printa("%d %d: %@d %@d\n", @a, @b);
	@k[2, 1] = count(); @k[1, 2] = count();
	printa("%d %d: %@d\n", @k);
}
