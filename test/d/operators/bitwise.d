/*
 * & | ^ ~ on mixed signs and widths.
 * @quiet
 */
char c; unsigned char uc; unsigned int u; long l;
BEGIN
{
	c = -128; uc = 0xf0; u = 0xff00ff00; l = -1;
	printf("%d %d %d\n", c & uc, c | uc, c ^ uc);
	printf("%u %d\n", c & u, l & u);
	printf("%u %d\n", c | u, l ^ u);
	printf("%d %d %u %d\n", ~c, ~uc, ~u, ~l);
}
