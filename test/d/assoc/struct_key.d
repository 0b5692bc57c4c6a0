/*
 * Struct keys are compared by their bytes.
 * @quiet
 */
struct k { int a; int b; };
struct k k1, k2;
int arr[struct k, int];
dtrace:::BEGIN
{
	k1.a = 1; k1.b = 2; k2.a = 1; k2.b = 3;
	arr[k1, 0] = 10; arr[k2, 0] = 20;
	printf("%d %d %d\n", arr[k1, 0], arr[k2, 0], arr[k1, 1]);
	k2.b = 2; printf("%d\n", arr[k2, 0]);
}
