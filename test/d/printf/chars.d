/* %c and %C; %c of a NUL prints nothing, %C escapes.
 * @quiet
 */
BEGIN
{
	printf("[%c] [%5c] [%-5c]\n", 'a', 'b', 'c');
	printf("[%C] [%C] [%C] [%C] [%C] [%C]\n", 'a', '\n', '\\', '\001', '\177', '"');
	printf("[%c] [%c] [%c]\n", (char)65, (short)66, (int)67);
	printf("[%lc] [%wc]\n", 0x41, 0x42);
	printf("[%C] [%5C]\n", '\0', '\t');
}
