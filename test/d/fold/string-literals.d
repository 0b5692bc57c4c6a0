/*
 * sizeof and comparisons of literals.
 * @quiet
 */
BEGIN
{
	printf("%d %d\n", sizeof ("abc") + sizeof (""), strlen("abc"));
	printf("%d %d %d\n", "a" == "a", "a" < "b", "a" > "b");
	printf("%s\n", 1 ? "one" : "two");
}
