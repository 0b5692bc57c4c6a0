/*
 * offsetof in structs and unions, nested and through typedefs.
 * @quiet
 */
struct in { char a; short b; };
struct s { char c; int i; struct in in[2]; union { char x; long y; } u; char tail[3]; };
union un { int a; struct in b; };
typedef struct s s_t;
BEGIN
{
	printf("%d %d %d\n", offsetof(struct s, c), offsetof(struct s, i), offsetof(struct s, in));
	printf("%d %d\n", offsetof(s_t, u), offsetof(s_t, tail));
	printf("%d %d %d\n", offsetof(union un, a), offsetof(union un, b), offsetof(struct in, b));
	printf("%d\n", sizeof (char) + offsetof(struct in, b) * 10);
	printf("%d\n", sizeof (s_t));
}
