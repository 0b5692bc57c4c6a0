/*
 * Declarations of globals, self->, this-> and associative arrays; all start at 0 or empty.
 * @quiet
 */
int g; self int t; this int l; string s; self string st; this string ls; int a[int]; self string sa[string, int];
BEGIN
{
	printf("%d %d %d [%s] [%s] [%s] %d [%s]\n", g, self->t, this->l, s, self->st, this->ls, a[1], self->sa["x", 1]);
	g = 1; self->t = 2; this->l = 3; s = "4"; self->st = "5"; this->ls = "6"; a[1] = 7; self->sa["x", 1] = "8";
	printf("%d %d %d [%s] [%s] [%s] %d [%s]\n", g, self->t, this->l, s, self->st, this->ls, a[1], self->sa["x", 1]);
}
END { printf("%d %d [%s]\n", g, this->l, s); }
