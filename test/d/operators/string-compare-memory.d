/*
 * Strings compare with char arrays and char pointers.
 * @quiet
 * @mem: kernel 0x1000 "hello"
 * @mem: kernel 0x2000 "hellp"
 */
struct s { char name[8]; };
BEGIN
{
	this->p = (char *)0x1000; this->s = (struct s *)0x1000; this->q = (char *)0x2000;
	printf("%d%d\n", stringof(this->p) == "hello", "hello" == this->s->name);
	printf("%d%d\n", this->s->name < "help", this->s->name != "hello");
	printf("%d%d\n", stringof(this->p) < stringof(this->q), stringof(this->q) <= stringof(this->p));
	printf("%d\n", this->p == this->q);
}
