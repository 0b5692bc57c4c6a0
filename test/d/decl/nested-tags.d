/*
 * A struct declared inside another is known outside, as in C.
 * @quiet
 */
struct outer { struct inner { int a, b; } i; enum kind { K1, K2 } k; union u { int x; char y; } u; };
BEGIN
{
	printf("%d %d %d %d\n", sizeof (struct outer), sizeof (struct inner), sizeof (enum kind), sizeof (union u));
	printf("%d %d\n", K2, offsetof(struct outer, u));
}
