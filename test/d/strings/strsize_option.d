/*
 * strsize rules what strings hold, also results of subroutines and built-in variables.
 * @quiet
 * @opt: strsize=8
 * @fire: t:mod:function_name:n execname=longername
 */
t:::
{
	printf("%s|%s|%s\n", execname, probefunc, substr("abcdefghijkl", 1));
	printf("%s|%s\n", toupper("abcdefghijk"), lltostr(123456789));
	s = probefunc; printf("%s %d %d\n", s, sizeof (string), sizeof (s));
}
