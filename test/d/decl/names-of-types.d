/*
 * A variable, member or tag may carry the name of a type.
 * @quiet
 */
typedef int foo; struct foo { foo foo; }; struct bar { struct foo *foo; };
BEGIN
{
	this->foo = 3; self->foo = 4; printf("%d %d\n", this->foo, self->foo);
	printf("%d %d\n", sizeof (foo), sizeof (struct foo));
	printf("%d\n", offsetof(struct bar, foo));
}
