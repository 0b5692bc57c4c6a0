/*
 * Members of anonymous structs and unions count from the outer start.
 * @quiet
 */
struct s { int a; union { int b; struct { char c; char d; }; }; int e; };
BEGIN
{
	printf("%d %d %d %d %d\n", offsetof(struct s, a), offsetof(struct s, b), offsetof(struct s, c), offsetof(struct s, d),
	    offsetof(struct s, e));
	printf("%d\n", sizeof (struct s));
}
