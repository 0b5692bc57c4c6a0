/*
 * NULL is a long 0 and compares with pointers.
 * @quiet
 */
BEGIN
{
	printf("%d %d\n", NULL, sizeof (NULL));
	printf("%d %d\n", (char *)0 == NULL, (int *)8 == NULL);
	printf("%d\n", NULL ? 1 : 2);
}
