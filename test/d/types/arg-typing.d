/*
 * arg0 is an int64_t: signed, cast to see less of it.
 * @quiet
 * @fire: t:::go arg0=-1 arg1=0xffffffff arg2=0x1ff
 */
t:::go
{
	printf("%d %d %d\n", arg0, arg1, arg2);
	printf("%d %d %d\n", arg0 < 0, (int)arg1 < 0, (char)arg2);
	printf("%u %d\n", (uint32_t)arg0, sizeof (arg0));
	printf("%d\n", arg0 == (int)arg1);
}
