/*
 * strtok() goes on with NULL; its state is a firing's.
 * @quiet
 * @fire: t:::a
 * @fire: t:::b
 */
t:::a
{
	this->t = strtok("//a,b;;c", "/,;"); printf("[%s]", this->t);
	this->t = strtok(NULL, "/,;"); printf("[%s]", this->t);
	this->t = strtok(NULL, "/,;"); printf("[%s]", this->t);
	this->t = strtok(NULL, "/,;"); printf("[%s]%d\n", this->t, this->t == NULL);
	printf("[%s]", strtok("x y", " "));
}
t:::a { printf("[%s]\n", strtok(NULL, " ")); }
t:::b { printf("%d\n", strtok(NULL, " ") == NULL); }
