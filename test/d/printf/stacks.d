/* %k prints a stack wherever it stands among the arguments; a width is the indentation.
 * @quiet
 * @fire: dtrace:::BEGIN stack=0x1000,0x2000,0x3000 ustack=0x4000,0x5000
 */
BEGIN
{
	printf("%d%k%s\n", 1, stack(), "after");
	printf("first%k", stack(1));
	printf("%-4k|%s\n", stack(2), "x");
	printf("user%k.\n", ustack());
	printf("both%k%k.\n", stack(1), ustack(1));
}
