/*
 * Strings compare by bytes, unsigned, up to the NUL.
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%d%d%d%d%d%d\n", "a" == "a", "a" != "a", "a" < "b", "b" > "a", "a" <= "a", "b" >= "c");
	printf("%d%d%d%d\n", "" == "", "" < "a", "ab" < "abc", "B" < "a");
	printf("%d%d\n", "\377" > "a", "a\0b" == "a");
	s = "x"; printf("%d%d\n", s == "x", "y" == s);
}
