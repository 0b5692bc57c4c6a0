/*
 * Up to eight bytes, the first one the most significant.
 * @quiet
 */
BEGIN
{
	printf("%x\n", 'ab');
	printf("%x\n", 'abc');
	printf("%x\n", 'abcd');
	printf("%x\n", 'abcde');
	printf("%x\n", 'abcdef');
	printf("%x\n", 'abcdefg');
	printf("%x\n", 'abcdefgh');
	printf("%x %x\n", '\n\t', 'a\0');
}
