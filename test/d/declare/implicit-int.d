/*
 * S C6, P 4.11: a storage class alone declares an int.
 * @quiet
 */
self x;
this y;
self z[string];
extern e9;
BEGIN
{
	self->x = 1; this->y = 2; self->z["a"] = 3;
	printf("%d %d %d %d %d\n", self->x, this->y, self->z["a"], sizeof (self->x), sizeof (this->y));
}
