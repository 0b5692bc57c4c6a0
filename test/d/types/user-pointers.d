/*
 * userland pointers read user memory, also through members and arrays.
 * @quiet
 * @mem: user 0x1000 u64 0x2000 7
 * @mem: user 0x2000 "user text"
 */
struct s { userland char *name; long n; };
BEGIN
{
	this->s = (userland struct s *)0x1000;
	printf("%d\n", this->s->n);
	printf("%s\n", stringof(this->s->name));
	printf("%d\n", ((userland long *)0x1000)[1]);
}
