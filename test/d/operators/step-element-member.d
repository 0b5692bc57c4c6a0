/*
 * ++ and -- on elements, members and bit-fields.
 * @quiet
 */
struct s { unsigned char a; unsigned b:3; int c:3; int d[2]; };
int arr[int];
BEGIN
{
	arr[7] = -1; printf("%d ", arr[7]++); printf("%d ", arr[7]); printf("%d ", ++arr[7]); printf("%d\n", arr[7]--);
	this->p = (struct s *)alloca(sizeof (struct s));
	this->p->a = 255; printf("%d ", this->p->a++); printf("%d ", this->p->a); printf("%d\n", --this->p->a);
	this->p->b = 7; printf("%d ", this->p->b++); printf("%d ", this->p->b); printf("%d\n", --this->p->b);
	this->p->c = 3; printf("%d ", this->p->c++); printf("%d ", this->p->c); printf("%d\n", --this->p->c);
	this->p->d[1] = 9; this->i = 0; printf("%d ", this->p->d[++this->i]++); printf("%d %d\n", this->p->d[1], this->i);
}
