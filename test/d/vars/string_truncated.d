/*
 * A string variable keeps strsize characters (S C3, P 4.14).
 * @quiet
 * @opt: strsize=8
 */
dtrace:::BEGIN
{
	g = "0123456789"; self->s = "abcdefghij"; this->t = "ABCDEFGHIJ";
	printf("%s %s %s %d\n", g, self->s, this->t, strlen(g));
	g = "1234567"; printf("%s\n", g);
	g = "12345678"; printf("%s\n", g); self->s = g; this->t = g; a[g] = g;
	printf("%s %s %s %d\n", self->s, this->t, a[g], self->s == g && this->t == "12345678" && a["12345678"] == g);
	@k[g, "12345678"] = count(); printa(@k); trace(g);
	g = "123456789"; printf("%d\n", g == "12345678");
	printf("%d\n", sizeof (g));
}
