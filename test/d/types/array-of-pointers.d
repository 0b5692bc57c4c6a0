/*
 * An array of pointers, and pointers into its targets.
 * @quiet
 * @mem: kernel 0x1000 u64 0x2000 0x2006 0
 * @mem: kernel 0x2000 "first\0second"
 */
struct v { char *argv[3]; };
BEGIN
{
	this->v = (struct v *)0x1000;
	printf("%s %s\n", stringof(this->v->argv[0]), stringof(this->v->argv[1]));
	printf("%c %c\n", *this->v->argv[0], this->v->argv[1][3]);
	printf("%d\n", this->v->argv[2] == NULL);
	printf("%d\n", this->v->argv[1] - this->v->argv[0]);
}
