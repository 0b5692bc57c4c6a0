/*
 * Calls in calls, keys and conditions.
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%s\n", toupper(substr(strjoin(basename("/x/yz"), lltostr(strlen("four"))), 1)));
	a[strlen("abc"), strjoin("k", lltostr(1))] = index("xay", "a");
	printf("%d\n", a[3, "k1"]);
	printf("%s\n", strlen("x") == 1 ? strjoin("y", "es") : "no");
	printf("%d\n", strlen(strjoin(strjoin("a", "b"), strjoin("c", strjoin("d", "e")))) * 2);
}
