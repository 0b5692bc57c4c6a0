/*
 * Products wrap.
 * @quiet
 */
int i; unsigned int u; long l;
BEGIN
{
	i = 65536; u = 65536; l = 4294967296;
	printf("%d %u %d\n", i * i, u * u, l * l);
	i = 46341; printf("%d\n", i * i);
	i = 50000; printf("%d %d\n", i * i, (long)i * i);
	i = -2147483647 - 1; printf("%d\n", i * -1);
}
