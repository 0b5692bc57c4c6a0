/*
 * Strings into char arrays of structs are cut and terminated.
 * @quiet
 */
struct r { char name[4]; int after; };
struct r r;
dtrace:::BEGIN
{
	r.after = 77;
	r.name[0] = 'a'; r.name[1] = 'b'; r.name[2] = 'c';
	s = (string)r.name; printf("%s %d\n", s, r.after);
	printf("%d %d\n", s == "abc", stringof(r.name) == "abc");
}
