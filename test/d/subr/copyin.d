/*
 * copyin() gives bytes of the process, copyinstr() a string of it.
 * @quiet
 * @mem: user 0x5000 u32 1 2 3 4
 * @mem: user 0x6000 "user text"
 * @fire: t:::a arg0=0x5000 arg1=0x6000
 */
t:::a
{
	p = (int *)copyin(arg0, 16);
	printf("%d %d\n", p[0], p[3]);
	printf("%d\n", *(int *)copyin(arg0 + 4, 4));
	printf("%s %s %d\n", copyinstr(arg1), copyinstr(arg1 + 5), strlen(copyinstr(arg1)));
	printf("[%s] [%s] [%s]\n", copyinstr(arg1, 4), copyinstr(arg1, 100), copyinstr(arg1, 0));
	printf("%s\n", stringof(copyin(arg1, 4)));
}
