/*
 * Macro variables are ids of the process that compiles.
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%d %d %d %d\n", $pid > 0, $ppid > 0, $uid == $euid, $gid == $egid);
	printf("%d %d %d\n", $target, $sid >= 0, $pgid >= 0);
	printf("%d %s\n", strlen($$pid) > 0, $$target);
	printf("%d\n", sizeof ($pid));
}
