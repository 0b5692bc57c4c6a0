/*
 * A declaration may be repeated with the same type, and after a use.
 * @quiet
 */
int i;
int i;
string s;
string s;
dtrace:::BEGIN { i = 3; s = "x"; k = 5; printf("%d %s %d\n", i, s, k); }
