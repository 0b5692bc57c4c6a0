/*
 * A string variable that was never set is empty.
 * @quiet
 */
string s; self string s;
BEGIN
{
	printf("%d %d\n", s == "", self->s == "");
	printf("%d %d\n", s == NULL, s != NULL);
	s = "x"; self->s = "y";
	printf("%d %d\n", s == NULL, s != NULL);
	s = NULL; self->s = 0;
	printf("[%s] [%s] %d %d\n", s, self->s, s == "", s == NULL);
}
