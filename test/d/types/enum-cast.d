/*
 * A cast to an enum knows its enumerators, as a comparison with one does: numbers that the kernel gives in no other way.
 * @skip-unless: test -r /sys/kernel/btf/vmlinux
 */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", (enum pid_type)PIDTYPE_TGID, 1 << (enum pid_type)PIDTYPE_PGID, (enum pid_type)2 == PIDTYPE_PGID);
	exit(0);
}
