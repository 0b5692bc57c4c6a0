/* system() and freopen() are formatted like printf() and recorded in order. They need permission to run. */
#pragma D option destructive
BEGIN
{
	printf("before ");
	system("date");
	system("echo %d %s %5x", 42, execname, 255);
	freopen("/tmp/out.%d", pid);
	freopen("");
	printf("after");
}
