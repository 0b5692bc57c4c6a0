/*
 * P10: copyinargv() joins the strings of an array that ends with a null pointer. What is not in memory is "?"; the
 * array itself must be.
 * @quiet
 * @mem: user 0x5000 u64 0x6000 0x6006 0x600b 0x6010 0
 * @mem: user 0x5100 u64 0 0x6000
 * @mem: user 0x5200 u64 0x6000 0x1000 0x6006 0
 * @mem: user 0x5300 u64 0x6010 0x6010 0
 * @mem: user 0x6000 "first"
 * @mem: user 0x6006 "-abc"
 * @mem: user 0x600b "x  y"
 * @mem: user 0x6010 ""
 * @fire: t:::a arg0=0x5000 arg1=0x5100 arg2=0x5200 arg3=0x5300
 */
t:::a
{
	printf("[%s] [%s] [%s] [%s] %d\n", copyinargv(arg0), copyinargv(arg1), copyinargv(arg2), copyinargv(arg3),
	    strlen(copyinargv(arg0)));
}

t:::a
{
	printf("%s\n", copyinargv(0x7000));
}

dtrace:::ERROR
{
	printf("fault %d at 0x%x\n", arg4, arg5);
}
