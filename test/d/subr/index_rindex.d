/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%d %d %d %d\n", index("banana", "an"), index("banana", "x"), index("banana", ""), index("", ""));
	printf("%d %d %d %d\n", index("banana", "an", 2), index("banana", "an", 4), index("banana", "an", -5), index("banana", "", 3));
	printf("%d %d\n", index("banana", "", 10), index("banana", "a", 10));
	printf("%d %d %d %d\n", rindex("banana", "an"), rindex("banana", "x"), rindex("banana", ""), rindex("", ""));
	printf("%d %d %d %d\n", rindex("banana", "an", 2), rindex("banana", "an", 0), rindex("banana", "an", -1), rindex("banana", "", -1));
	printf("%d %d\n", rindex("banana", "a", 100), rindex("banana", "", 100));
}
