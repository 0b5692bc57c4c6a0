/*
 * A NULL string compares and prints as the empty one.
 * @quiet
 */
string n;
dtrace:::BEGIN
{
	n = NULL;
	printf("%d %d %d [%s]\n", n == "", n == NULL, n < "a", n);
	printf("[%s] [%s]\n", strchr("abc", 'z'), strstr("abc", "z"));
	printf("%d %d\n", strchr("abc", 'z') == NULL, strchr("abc", 'b') == NULL);
}
