/*
 * |, then &&, then ^^, then ||.
 * @quiet
 */
BEGIN
{
	t = 1; f = 0;
	printf("%d %d\n", f && t | t, (f && t) | t);
	printf("%d %d\n", t ^^ t && f, (t ^^ t) && f);
	printf("%d %d\n", t || t ^^ t, (t || t) ^^ t);
	printf("%d %d\n", t || f && f, (t || f) && f);
}
