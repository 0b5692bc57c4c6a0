/*
 * void * takes any pointer and is cast back.
 * @quiet
 * @mem: kernel 0x1000 u32 42
 */
void *v; 
BEGIN
{
	v = (int *)0x1000; printf("%d\n", *(int *)v);
	this->c = (char *)v; printf("%d %d\n", v == this->c, (long)v);
	v = NULL; printf("%d\n", v == 0);
}
