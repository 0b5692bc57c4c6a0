/*
 * 0 and NULL may be assigned to strings; they read as empty.
 * @quiet
 * @show: vars
 */
string d;
dtrace:::BEGIN
{
	s = "x"; s = 0; printf("[%s]", s);
	s = "y"; s = NULL; printf("[%s]", s);
	d = "z"; d = NULL; printf("[%s]", d);
	this->t = "t"; this->t = NULL; printf("[%s]", this->t);
	printf(" %d %d\n", s == NULL, s == "");
	s = "again"; printf("%s\n", s);
}
