/*
 * ?: with strings, nested, and with NULL.
 * @quiet
 * @fire: t:::a arg0=0
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=2
 */
t:::a
{
	s = arg0 == 0 ? "zero" : arg0 == 1 ? "one" : "many";
	printf("%s %s\n", s, arg0 ? execname : "idle");
}
