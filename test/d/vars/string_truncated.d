/*
 * A string variable keeps strsize - 1 characters.
 * @quiet
 * @opt: strsize=8
 */
dtrace:::BEGIN
{
	g = "0123456789"; self->s = "abcdefghij"; this->t = "ABCDEFGHIJ";
	printf("%s %s %s %d\n", g, self->s, this->t, strlen(g));
	g = "1234567"; printf("%s\n", g);
	g = "12345678"; printf("%s\n", g);
	printf("%d\n", sizeof (g));
}
