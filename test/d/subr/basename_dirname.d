/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%s %s %s %s %s %s %s\n", basename("/a/b"), basename("/a/b/"), basename("b"), basename("/"), basename("//"),
	    basename(""), basename("a//"));
	printf("%s %s %s %s %s %s %s %s\n", dirname("/a/b"), dirname("/a/b/"), dirname("b"), dirname("/"), dirname("//"),
	    dirname(""), dirname("a//b"), dirname("/a"));
}
