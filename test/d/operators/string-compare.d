/*
 * All six comparisons of strings.
 * @quiet
 */
BEGIN
{
	a = "abc"; b = "abd"; c = "ab";
	printf("%d%d%d%d%d%d\n", a == b, a != b, a < b, a <= b, a > b, a >= b);
	printf("%d%d%d%d%d%d\n", a == a, a != a, a < a, a <= a, a > a, a >= a);
	printf("%d%d%d%d%d%d\n", a == c, a != c, a < c, a <= c, a > c, a >= c);
	printf("%d%d\n", c < a, "" < c);
	printf("%d%d\n", "abc" == a, "abd" > "abc");
	printf("%d%d\n", "\377" > "a", "A" < "a");
}
