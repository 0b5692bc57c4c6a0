/* cat(): a file by name, one by a format; what is no file is told in a line. */
BEGIN
{
	cat("/proc/sys/kernel/ostype");
	cat("/proc/%s/kernel/%s", "sys", "ostype");
	cat("/no/such/file%d", 1);
	cat("/tmp");
	exit(0);
}
