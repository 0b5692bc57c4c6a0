/*
 * Two and three levels.
 * @quiet
 * @mem: kernel 0x1000 u64 0x2000 0x2008
 * @mem: kernel 0x2000 u64 0x3000 0x3004
 * @mem: kernel 0x3000 u32 11 22
 */
BEGIN
{
	this->ppp = (int ***)0x1000;
	printf("%d %d\n", ***this->ppp, *this->ppp[0][1]);
	printf("%d %d\n", **this->ppp[1], *(*this->ppp[0] + 1));
	printf("%x %x\n", (long)*this->ppp, (long)**this->ppp);
	printf("%d\n", &*this->ppp == this->ppp);
}
