/*
 * Stores through *, [], +, & and casts in memory from alloca.
 * @quiet
 */
BEGIN
{
	this->a = (int *)alloca(40);
	*this->a = 1; *(this->a + 1) = 2; this->a[2] = 3; *&this->a[3] = 4; *(4 + this->a) = 5; *((int *)this->a + 5) = 6;
	*(short *)(this->a + 6) = 7; ((char *)this->a)[28] = 8; (*(this->a + 8))++; *(this->a + 9) += 9;
	printf("%d %d %d %d %d\n", this->a[0], this->a[1], this->a[2], this->a[3], this->a[4]);
	printf("%d %d %d %d %d\n", this->a[5], this->a[6], this->a[7], this->a[8], this->a[9]);
}
