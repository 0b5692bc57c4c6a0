/*
 * Inlines are constants or expressions by name.
 * @quiet
 */
inline int one = 1;
inline long two = one + 1;
inline string name = "inline";
int counter2;
inline int later = counter2 * 2;
inline char narrow = 300;
inline int add[int a, int b] = a + b;
BEGIN
{
	counter2 = 21;
	printf("%d %d %s %d %d\n", one, two, name, later, narrow);
	printf("%d %d\n", add[3, 4] * 2, add[one, two]);
	printf("%d %d\n", sizeof (two), sizeof (narrow));
}
