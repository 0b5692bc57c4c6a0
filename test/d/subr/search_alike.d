/* H 11: long strings that are much alike, made so that a plain search would take the product of their lengths.
 * What they give is what it always was; limits.sh tests that it is soon.
 */
#pragma D option strsize=8192
#pragma D option quiet
string a, b, c, d, e, f;

BEGIN {
	a = "aaaaaaaaaaaaaaaa";
	a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a);
	b = a;					/* 512 */
	a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a);	/* 4096 */
	c = strjoin(b, "b");
	d = strjoin("b", b);
}
BEGIN { printf("%d %d %d\n", strlen(a), strlen(b), strlen(c)); }
BEGIN { printf("%d %d\n", index(a, c), rindex(a, d)); }
BEGIN { printf("%d %d\n", index(strjoin(a, c), c), rindex(strjoin(d, a), d)); }
BEGIN { e = strjoin(c, b); }
BEGIN { e = strjoin(a, e); }
BEGIN { f = strjoin(d, a); }
BEGIN { f = strjoin(b, f); }
BEGIN { printf("%d %d\n", index(e, c), rindex(f, d)); }
BEGIN { printf("%d %d\n", index(strjoin(a, c), c, 4090), rindex(strjoin(d, a), d, 5)); }
BEGIN { printf("%d %d\n", index(strjoin(a, c), c, 4097), rindex(strjoin("xx", strjoin(d, a)), d, 1)); }
BEGIN { printf("%d %d\n", strlen(strstr(strjoin(a, c), c)), strstr(a, c) == NULL); }
BEGIN { printf("%d %d\n", index(a, b), rindex(a, b)); }
