/*
 * @quiet
 * @mem: kernel 0x1000 hex c0 a8 01 02
 * @mem: kernel 0x2000 hex 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01
 * @mem: kernel 0x3000 hex 00 00 00 00 00 00 00 00 00 00 ff ff 0a 00 00 01
 * @mem: kernel 0x4000 hex 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
 */
dtrace:::BEGIN
{
	printf("%s %s\n", inet_ntop(2, (void *)0x1000), inet_ntoa((uint32_t *)0x1000));
	printf("%s %s\n", inet_ntop(10, (void *)0x2000), inet_ntop(10, (void *)0x3000));
	printf("%s\n", inet_ntop(10, (void *)0x4000));
}
dtrace:::BEGIN { trace(inet_ntop(3, (void *)0x1000)); }
