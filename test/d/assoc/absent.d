/*
 * Reading an absent element gives 0 or "" and creates nothing.
 * @quiet
 * @show: vars
 */
int i[int];
string s[int];
int *p[int];
self int t[int];
dtrace:::BEGIN { printf("%d [%s] %p %d\n", i[1], s[1], p[1], self->t[1]); }
