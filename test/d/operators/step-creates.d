/*
 * ++ on a new variable makes it an int64_t that counts from 0.
 * @quiet
 */
BEGIN
{
	n++; ++n; printf("%d %d\n", n, sizeof (n));
	self->n--; printf("%d %d\n", self->n, sizeof (self->n));
	++this->n; printf("%d %d\n", this->n, sizeof (this->n));
	c["x"]++; c["x"]++; c["y"]--; printf("%d %d %d\n", c["x"], c["y"], c["z"]);
	self->c[1, 2]++; printf("%d\n", self->c[1, 2]);
}
