/*
 * Enumerators are constants; an enum variable compares with a bare enumerator.
 * @quiet
 */
enum color { RED, GREEN = 5, BLUE, NEG = -2, };
enum color c;
dtrace:::BEGIN
{
	printf("%d %d %d %d\n", RED, GREEN, BLUE, NEG);
	c = BLUE; printf("%d %d %d\n", c == BLUE, c == RED, c);
	c = NEG; printf("%d %d\n", c < RED, sizeof (c));
}
