/*
 * Elements as keys of elements.
 * @quiet
 */
dtrace:::BEGIN
{
	a[1] = 2; a[2] = 3; b[3, "x"] = 4; s[4] = "end"; t["end"] = 99;
	printf("%d %s %d\n", a[a[1]], s[b[a[a[1]], "x"]], t[s[b[3, "x"]]]);
	a[a[2]] = a[1] + a[2]; printf("%d\n", a[3]);
}
