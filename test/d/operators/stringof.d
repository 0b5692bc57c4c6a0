/*
 * stringof of pointers, arrays, strings and numbers that are addresses.
 * @quiet
 * @mem: kernel 0x1000 "text\0after"
 */
struct s { char a[4]; char b[8]; };
BEGIN
{
	printf("[%s]\n", stringof((char *)0x1000));
	printf("[%s]\n", stringof(0x1002));
	printf("[%s]\n", stringof ((struct s *)0x1000)->b);
	printf("[%s]\n", stringof(((struct s *)0x1000)->a));
	printf("[%s]\n", stringof("literal"));
	printf("[%s]\n", stringof execname);
	printf("%d\n", strlen(stringof((char *)0x1000)));
	printf("[%s]\n", (string)0x1001);
	printf("[%s]\n", (string)(char *)0x1003);
}
