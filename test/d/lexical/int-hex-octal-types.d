/*
 * Octal and hex constants may be unsigned without a suffix.
 * @quiet
 */
BEGIN
{
	printf("%d %d %d\n", sizeof (0x7fffffff), sizeof (0x80000000), sizeof (0x100000000));
	printf("%d %d\n", 0x7fffffff > -1, 0x80000000 > -1);
	printf("%d %d\n", 0x7fffffffffffffff > -1, 0x8000000000000000 > -1);
	printf("%d %d\n", 017777777777 > -1, 037777777777 > -1);
	printf("%d %d\n", 0777777777777777777777 > -1, 01777777777777777777777 > -1);
	printf("%d\n", sizeof (01777777777777777777777));
}
