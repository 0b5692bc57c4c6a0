/*
 * Every escape in a character constant.
 * @quiet
 */
BEGIN
{
	printf("%d %d %d %d %d %d %d\n", '\a', '\b', '\f', '\n', '\r', '\t', '\v');
	printf("%d %d %d\n", '\\', '\'', '\"');
	printf("%d %d %d %d\n", '\0', '\7', '\12', '\101');
	printf("%d %d %d\n", '\x41', '\x7f', '\x0a');
}
