/* Each integer conversion on each size and sign. %d goes by the type, %i is signed, o u x X are masked to the size.
 * @quiet
 */
BEGIN
{
	this->c = (char)-2; this->uc = (unsigned char)254;
	this->s = (short)-2; this->us = (unsigned short)65534;
	this->i = (int)-2; this->ui = (unsigned int)-2;
	this->l = (long)-2; this->ul = (unsigned long)-2;
	this->ll = (long long)-2; this->ull = (unsigned long long)-2;
	printf("c   %d %i %u %o %x %X\n", this->c, this->c, this->c, this->c, this->c, this->c);
	printf("uc  %d %i %u %o %x %X\n", this->uc, this->uc, this->uc, this->uc, this->uc, this->uc);
	printf("s   %d %i %u %o %x %X\n", this->s, this->s, this->s, this->s, this->s, this->s);
	printf("us  %d %i %u %o %x %X\n", this->us, this->us, this->us, this->us, this->us, this->us);
	printf("i   %d %i %u %o %x %X\n", this->i, this->i, this->i, this->i, this->i, this->i);
	printf("ui  %d %i %u %o %x %X\n", this->ui, this->ui, this->ui, this->ui, this->ui, this->ui);
	printf("l   %d %i %u %o %x %X\n", this->l, this->l, this->l, this->l, this->l, this->l);
	printf("ul  %d %i %u %o %x %X\n", this->ul, this->ul, this->ul, this->ul, this->ul, this->ul);
	printf("ll  %d %i %u %o %x %X\n", this->ll, this->ll, this->ll, this->ll, this->ll, this->ll);
	printf("ull %d %i %u %o %x %X\n", this->ull, this->ull, this->ull, this->ull, this->ull, this->ull);
}
