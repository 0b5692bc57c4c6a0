/*
 * typedefs of typedefs, of pointers, of arrays, of structs.
 * @quiet
 */
typedef int t1; typedef t1 t2; typedef t2 *tp; typedef t2 ta[3]; typedef struct { t2 x; ta a; } ts; typedef ts *tsp;
typedef unsigned char byte;
typedef struct list { struct list *next; int v; } list_t;
t2 g; byte b;
BEGIN
{
	g = 5; b = 256 + 7; printf("%d %d\n", g, b);
	printf("%d %d %d %d\n", sizeof (t2), sizeof (tp), sizeof (ta), sizeof (ts));
	this->p = (tsp)alloca(sizeof (ts)); this->p->x = 1; this->p->a[2] = 9; printf("%d %d\n", this->p->x, this->p->a[2]);
	printf("%d\n", (byte)-1);
	printf("%d\n", sizeof (list_t));
	printf("%d\n", (tp)8 == (int *)8);
}
