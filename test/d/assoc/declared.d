/*
 * Declared signatures and value types; values are cut to the type.
 * @quiet
 */
uint8_t a[int, string];
string s[int];
self int t[string];
dtrace:::BEGIN
{
	a[1, "x"] = 0x1ff; s[1] = "one"; s[2] = "two"; self->t["a"] = 5;
	printf("%d %d %s %s [%s] %d %d\n", a[1, "x"], a[1, "y"], s[1], s[2], s[3], self->t["a"], self->t["b"]);
}
