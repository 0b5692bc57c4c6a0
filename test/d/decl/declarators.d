/*
 * Declarators read from the inside out.
 * @quiet
 */
struct t { int *a[3]; int (*b)[3]; int *(*c)(void); int (*d[2])(int); char **e; int (*(*f)(int))(char); };
BEGIN
{
	printf("%d %d\n", sizeof (((struct t *)0)->a), sizeof (((struct t *)0)->b));
	printf("%d %d %d\n", sizeof (*((struct t *)0)->b), sizeof (((struct t *)0)->c), sizeof (((struct t *)0)->d));
	printf("%d %d\n", sizeof (((struct t *)0)->e), sizeof (((struct t *)0)->f));
	printf("%d %d %d\n", sizeof (int *[3]), sizeof (int (*)[3]), sizeof (char (*[2])(void)));
	this->p = (int (*)[3])0x1000; printf("%x\n", (long)(this->p + 1));
}
