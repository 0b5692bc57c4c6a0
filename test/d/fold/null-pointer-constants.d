/*
 * Expressions that fold to 0 are null pointers.
 * @quiet
 */
BEGIN
{
	this->p = (char *)8;
	printf("%d %d\n", this->p == 0, this->p != 1 - 1);
	this->p = 0; printf("%d\n", (long)this->p);
	this->p = 3 - 3; printf("%d %d\n", (long)this->p, this->p == NULL);
}
