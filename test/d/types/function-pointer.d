/*
 * Function pointers are declared and compared, not called.
 * @quiet
 */
typedef int (*fn_t)(int, char *);
struct ops { int (*open)(const char *, int); void (*close)(void); fn_t more[2]; };
BEGIN
{
	printf("%d %d %d\n", sizeof (fn_t), sizeof (struct ops), offsetof(struct ops, more));
	this->f = (fn_t)0x1000; printf("%x %d\n", (long)this->f, this->f == NULL);
}
