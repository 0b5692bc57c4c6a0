/*
 * Memory from alloca: members, arrays, and whole structs written and read back.
 * @quiet
 */
struct in { short a, b; };
struct s { char c; struct in in; int arr[3]; long l; char *p; };
BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->c = -1; this->s->in.b = 300; this->s->arr[2] = 5; this->s->l = -9; this->s->p = (char *)0x42;
	printf("%d %d %d %d %x\n", this->s->c, this->s->in.b, this->s->arr[2], this->s->l, (long)this->s->p);
	this->t = (struct s *)alloca(sizeof (struct s)); *this->t = *this->s;
	printf("%d %d %d\n", this->t->c, this->t->in.b, this->t->arr[2]);
	this->a = (int *)alloca(16); this->a[3] = 4; *this->a = 1; *(this->a + 1) = this->a[3] + *this->a;
	printf("%d %d %d\n", this->a[0], this->a[1], this->a[3]);
}
