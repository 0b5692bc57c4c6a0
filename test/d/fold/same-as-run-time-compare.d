/*
 * Folded and computed: mixed signs and widths.
 * @quiet
 */
int i; unsigned int u; long l; unsigned long ul; char c; unsigned char uc;
BEGIN
{
	i = -1; u = 1; l = -1; ul = 1; c = -1; uc = 255;
	printf("%d%d %d%d %d%d\n", -1 < 1u, i < u, -1l < 1u, l < u, -1l < 1ul, l < ul);
	printf("%d%d %d%d\n", (char)-1 < (unsigned char)255, c < uc, (char)-1 == (unsigned char)255, c == uc);
	printf("%d%d %d%d\n", -1 == 0xffffffff, i == 0xffffffff, -1l == 0xffffffff, l == 0xffffffff);
	printf("%d%d %d%d\n", (char)-1 > 0u, c > 0u, (unsigned char)255 > -1, uc > i);
}
