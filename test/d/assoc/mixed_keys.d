/*
 * @quiet
 * @show: vars
 * @fire: t:m:f:n pid=3 execname=ex tid=9
 */
t:::
{
	a[pid, execname, probefunc, (void *)0x10] = tid;
	a[pid + 1, execname, probefunc, (void *)0x10] = 1;
	printf("%d %d\n", a[3, "ex", "f", (void *)0x10], a[3, "ex", "f", (void *)0x18]);
}
