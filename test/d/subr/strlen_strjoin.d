/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%d %d %d\n", strlen(""), strlen("abc"), strlen(strjoin("ab", "cde")));
	printf("[%s] [%s] [%s] [%s]\n", strjoin("a", "b"), strjoin("", ""), strjoin("a", ""), strjoin("", "b"));
	printf("%s\n", strjoin(strjoin("1", strjoin("2", "3")), strjoin("4", "5")));
}
