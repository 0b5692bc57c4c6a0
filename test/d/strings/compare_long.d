/*
 * N20: a literal longer than strsize counts as if it ended there, in comparisons as in assignments.
 * @quiet
 * @opt: strsize=8
 */
string g; self string s;
BEGIN { g = "0123456789"; self->s = "0123456789"; this->t = "0123456789";
 printf("%s %d %d %d %d\n", g, g == "0123456789", self->s == "0123456789", this->t == "0123456789", "0123456789" == g);
 printf("%d %d %d %d\n", g == "01234567", g == "0123456", g < "0123456789", g != "0123456789");
 printf("%d %d\n", "0123456789" == "01234567xx", "0123456789" < "01234567xx");
 a["0123456789"] = 1; printf("%d %d\n", a[g], a["01234567"]);
}
