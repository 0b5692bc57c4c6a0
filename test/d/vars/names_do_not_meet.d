/*
 * x, self->x, this->x and @x are four things, each with its type.
 * @quiet
 */
dtrace:::BEGIN
{
	x = 1; self->x = "two"; this->x = (char)3; @x = count();
	printf("%d %s %d\n", x, self->x, this->x);
	printa("%@d\n", @x);
}
