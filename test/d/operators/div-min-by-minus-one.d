/*
 * The lowest number divided by -1 is itself, remainder 0.
 * @quiet
 */
int i; long l;
BEGIN
{
	this->m = -1;
	i = -2147483647 - 1; l = -9223372036854775807 - 1;
	printf("%d %d\n", (int)(i / (int)this->m), i % (int)this->m);
	printf("%d %d\n", l / this->m, l % this->m);
	printf("%d\n", (-9223372036854775807 - 1) / -1);
	printf("%d\n", (-2147483647 - 1) / -1);
	l /= this->m; printf("%d\n", l);
	i /= this->m; printf("%d\n", i);
}
