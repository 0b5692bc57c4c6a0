/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%s %s %s %s\n", cleanpath("/a//b"), cleanpath("/a/./b"), cleanpath("/a/../b"), cleanpath("/a/b/../../c"));
	printf("%s %s %s %s [%s]\n", cleanpath("/.."), cleanpath("/../a"), cleanpath("a/b"), cleanpath("/a/"), cleanpath(""));
}
