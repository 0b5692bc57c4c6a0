/*
 * Pointers count as true when not NULL.
 * @quiet
 */
BEGIN
{
	this->p = (char *)8; this->q = (char *)0;
	printf("%d %d %d %d\n", this->p && 1, this->q && 1, this->q || 0, this->p || 0);
	printf("%d %d %d\n", !this->p, !this->q, this->p ^^ this->q);
	printf("%d\n", this->q ? 1 : 2);
}
