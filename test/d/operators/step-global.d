/*
 * ++ and -- before and after a global.
 * @quiet
 */
int x;
BEGIN
{
	x = 5;
	printf("%d ", x++); printf("%d ", x); printf("%d ", ++x); printf("%d\n", x);
	printf("%d ", x--); printf("%d ", x); printf("%d ", --x); printf("%d\n", x);
}
