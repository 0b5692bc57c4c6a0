/*
 * The same declaration twice is allowed.
 * @quiet
 */
int x; int x; self string s; self string s; extern int x2;
struct fwd; struct fwd { int a; }; struct fwd;
BEGIN { x = 1; printf("%d %d\n", x, sizeof (struct fwd)); }
