/*
 * Members are aligned as the machine's C does.
 * @quiet
 */
struct a { char c; short s; char d; int i; char e; long l; char f; };
struct b { char c[3]; short s; }; struct c { struct b b[2]; char x; }; struct d { char c; void *p; }; struct e { char c; double d; };
union f { char c[5]; int i; };
BEGIN
{
	printf("%d %d %d %d %d %d\n", sizeof (struct a), sizeof (struct b), sizeof (struct c), sizeof (struct d), sizeof (struct e), sizeof (union f));
	printf("%d %d %d %d %d %d %d\n", offsetof(struct a, c), offsetof(struct a, s), offsetof(struct a, d), offsetof(struct a, i),
	    offsetof(struct a, e), offsetof(struct a, l), offsetof(struct a, f));
}
