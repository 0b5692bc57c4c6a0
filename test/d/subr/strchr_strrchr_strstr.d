/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("[%s] [%s] [%s]\n", strchr("hello", 'l'), strrchr("hello", 'l'), strstr("hello", "ll"));
	printf("[%s] [%s]\n", strstr("hello", ""), strstr("hello", "hello there"));
	printf("%d %d %d\n", strchr("hello", 'q') == NULL, strrchr("hello", 'q') == NULL, strstr("hello", "q") == NULL);
	printf("[%s] [%s]\n", strchr(strchr("a.b.c", '.'), 'b'), strstr(strjoin("x", "yz"), "z"));
}
