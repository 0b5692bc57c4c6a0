/*
 * Variables, members, keys and comparisons of enum type.
 * @quiet
 */
enum color { RED, GREEN = 5, BLUE, };
struct s { enum color c; };
enum color g; self enum color t;
BEGIN
{
	g = BLUE; self->t = GREEN;
	printf("%d %d %d\n", g, self->t, g > self->t);
	this->s = (struct s *)alloca(sizeof (struct s)); this->s->c = GREEN;
	printf("%d %d\n", this->s->c == GREEN, this->s->c != RED);
	m[BLUE] = "blue"; printf("%s\n", m[g]);
	printf("%d\n", g == 6 ? g + 1 : 0);
	g = 77; printf("%d\n", g);
}
