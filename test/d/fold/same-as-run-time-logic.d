/*
 * Folded and computed: && || ^^ ! ?:
 * @quiet
 */
int z, o;
BEGIN
{
	z = 0; o = 2;
	printf("%d%d %d%d %d%d\n", 2 && 0, o && z, 2 || 0, o || z, 2 ^^ 2, o ^^ o);
	printf("%d%d %d%d %d%d\n", !2, !o, !!2, !!o, !0, !z);
	printf("%d%d %d%d\n", 2 ? 3 : 4, o ? 3 : 4, 0 ? 3 : 4, z ? 3 : 4);
	printf("%d%d\n", 0x100000000 && 1, ((long)o << 31) && 1);
}
