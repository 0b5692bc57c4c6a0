/* %s and %S of strings and character arrays, with width and precision; %S escapes. A precision of 0 is no text (N22).
 * @quiet
 * @mem: kernel 0xffff800000001000 "abc\tdef\n"
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
struct name { char text[9]; };
BEGIN
{
	printf("[%s] [%10s] [%-10s] [%.2s] [%5.1s]\n", "abc", "abc", "abc", "abc", "abc");
	printf("[%s] [%.0s] [%.s] [%.*s] [%.*s] [%3.0s] [%.0S] [%.0d]\n", "", "abc", "abc", 0, "abc", -1, "abc", "abc", "abc", 0);
	printf("[%S]\n", "a\tb\nc\\d\"e\001\177\a\b\f\r\v");
	printf("[%20S] [%-8S] [%.4S]\n", "a\tb", "a\tb", "a\tb");
	printf("[%S] [%s]\n", ((struct name *)arg0)->text, ((struct name *)arg0)->text);
	printf("[%s]\n", stringof(arg0));
	printf("[%s]\n", execname);
	printf("[%S]\n", "\377\200é");
}
