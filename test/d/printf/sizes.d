/* Conversions that name a size take exactly that size, also a char (N22).
 * @quiet
 */
BEGIN
{
	this->c = (char)-1; this->uc = (unsigned char)-1;
	this->s = (short)-1; this->us = (unsigned short)-1;
	this->l = (long)-1; this->ul = (unsigned long)-1;
	this->ll = (long long)-1; this->ull = (unsigned long long)-1;
	printf("%hhd %hhi %hhx %hhX\n", this->c, this->c, this->c, this->c);
	printf("%hho %hhu %hhd\n", this->uc, this->uc, this->uc);
	printf("%hd %hi %hx %hX\n", this->s, this->s, this->s, this->s);
	printf("%ho %hu\n", this->us, this->us);
	printf("%ld %li %lx %lX\n", this->l, this->l, this->l, this->l);
	printf("%lo %lu\n", this->ul, this->ul);
	printf("%lld %lli %llx %llX\n", this->ll, this->ll, this->ll, this->ll);
	printf("%llo %llu\n", this->ull, this->ull);
}
