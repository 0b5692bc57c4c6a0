/*
 * A unary operator gives a variable that has no type yet int64_t; the assignment may come later (T 5).
 * @quiet
 */
BEGIN /!seen[1] && !self->a && !this->b && !self->c["k", 2]/
{
	printf("%d %d %d %d\n", -self->d, ~self->e, +f[0], sizeof (self->g));
	seen[1]++;
	self->a = 5;
	self->g = 1;
	printf("%d %d %d\n", sizeof (seen[1]), sizeof (self->a), self->g);
}
BEGIN /!seen[1]/ { printf("not reached\n"); }
