/*
 * @quiet
 * @mem: kernel 0x1000 u32 11 22 33 44
 */
dtrace:::BEGIN
{
	this->p = (int *)alloca(16);
	bcopy((void *)0x1000, this->p, 16);
	printf("%d %d\n", this->p[0], this->p[3]);
	this->p[1] = 99; this->p[2] += 7;
	printf("%d %d\n", this->p[1], this->p[2]);
	this->q = (int *)alloca(8);
	bcopy(this->p + 2, this->q, 8);
	printf("%d %d\n", *this->q, this->q[1]);
}
