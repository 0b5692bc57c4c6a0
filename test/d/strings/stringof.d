/*
 * stringof and casts of kernel addresses, char arrays and strings.
 * @quiet
 * @mem: kernel 0x1000 "kernel text"
 */
char b[6];
dtrace:::BEGIN
{
	printf("%s|%s|%s\n", stringof(0x1000), stringof((char *)0x1007), (string)0x1000);
	b[0] = 'h'; b[1] = 'i'; printf("%s|%s\n", stringof(b), stringof("lit"));
	p = (char *)0x1000; printf("%s|%s\n", stringof(p), (string)(p + 7));
	s = stringof(p); printf("%d\n", s == p);
}
