/*
 * An unknown escape keeps its backslash.
 * @quiet
 */
BEGIN
{
	printf("%s\n", "a\qb");
	printf("%d\n", strlen("\q"));
}
