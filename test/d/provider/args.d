/*
 * args[] has the declared types.
 * @quiet
 * @mem: kernel 0x1000 u32 7 8
 * @mem: kernel 0x2000 "name"
 * @fire: myp:mod:fn:go arg0=0x1000 arg1=0xffffffff arg2=0x1ff arg3=0x2000
 */
struct pt { int x; int y; };
provider myp { probe go(struct pt *, int, char, char *); };
myp:::go
{
	printf("%d %d %d %d %s\n", args[0]->x, args[0]->y, args[1], args[2], stringof(args[3]));
	printf("%d %d\n", arg1, sizeof (args[2]));
}
