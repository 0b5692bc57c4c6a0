/*
 * Pointers and integers cast both ways; narrow integers lose bits.
 * @quiet
 */
struct s { int a; };
BEGIN
{
	this->p = (void *)0xffff800012345678;
	printf("%x %x\n", (long)this->p, (uintptr_t)this->p);
	printf("%x %d\n", (int)this->p, (char)this->p);
	this->i = -1; this->q = (char *)this->i; printf("%x\n", (long)this->q);
	printf("%d\n", (struct s *)(long)this->p == (struct s *)this->p);
	printf("%d\n", (long)(int *)(char *)8);
	printf("%d\n", (_Bool)this->p);
}
