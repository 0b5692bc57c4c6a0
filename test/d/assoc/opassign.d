/*
 * op= and ++ on elements evaluate keys once.
 * @quiet
 */
long a[string];
dtrace:::BEGIN
{
	a["x"]++; ++a["x"]; a["x"] += 10; printf("%d %d\n", a["x"], a["x"]--);
	a["x"] *= 3; a["x"] <<= 1; a["x"] -= 6; printf("%d\n", a["x"]);
	k = 0; b[k++] = 5; b[k++] += 7; printf("%d %d %d\n", k, b[0], b[1]);
	printf("%d %d\n", c["new"]++, ++c["new"]);
}
