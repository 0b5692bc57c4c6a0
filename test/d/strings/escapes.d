/*
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%d %d %d %d\n", strlen("\n\t\\\""), strlen("\101\x42"), strlen("a\0b"), strlen("\q"));
	printf("%s %s %c\n", "\101\x42\103", "tab\there", '\'');
	printf("%x %x\n", 'ab', '\n');
}
