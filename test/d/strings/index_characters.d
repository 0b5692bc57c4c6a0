/*
 * The characters of a string can be read by index.
 * @quiet
 */
string s;
dtrace:::BEGIN
{
	s = "hello"; printf("%c%c %d\n", s[0], s[4], s[5]);
	printf("%c %d\n", "abc"[1], execname[0] == 'd');
	this->s = "\377"; printf("%d\n", this->s[0]);
}
