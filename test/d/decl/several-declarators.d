/*
 * One declaration, several names.
 * @quiet
 */
int a, *p, arr[3], (*f)(int), **pp; self char x, y; this long z, w;
BEGIN
{
	a = 1; p = (int *)8; self->x = 2; self->y = 3; this->z = 4; this->w = 5; pp = (int **)16; f = NULL;
	printf("%d %d %d %d %d %d %d\n", a, (long)p, self->x, self->y, this->z, this->w, (long)pp);
	printf("%d %d\n", sizeof (arr), sizeof (f));
}
