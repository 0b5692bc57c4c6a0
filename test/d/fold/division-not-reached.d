/*
 * A division by 0 that is not reached does no harm.
 * @quiet
 */
BEGIN
{
	this->z = 0;
	printf("%d\n", 0 && 1 / this->z);
	printf("%d\n", 1 ? 5 : 1 / this->z);
}
