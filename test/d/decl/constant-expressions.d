/*
 * Sizes, bit-field widths and enumerators are constant expressions.
 * @quiet
 */
inline int N = 3;
enum { TWO = 1 + 1, BIG = 1 << 10, COND = TWO > 1 ? 7 : 8, SZ = sizeof (long), NEG = -(TWO * 3), CAST = (char)300, MASK = ~0 & 0xff };
struct s { char a[TWO * 4 - 1]; unsigned f:TWO + 1; int m[N][TWO]; };
int arr[sizeof (int) * 2];
BEGIN
{
	printf("%d %d %d %d %d %d %d\n", TWO, BIG, COND, SZ, NEG, CAST, MASK);
	printf("%d %d %d\n", sizeof (((struct s *)0)->a), sizeof (((struct s *)0)->m), sizeof (arr));
	this->s = (struct s *)alloca(sizeof (struct s)); this->s->f = 255; printf("%d\n", this->s->f);
}
