/*
 * Exact source first, then what it resolves to, then one that can be passed.
 * @quiet
 */
typedef int myint;
typedef struct node { int v; } node_t;
struct o { int w; };
struct q { int w; };
translator struct o < int x > { w = 1; };
translator struct o < long x > { w = 2; };
translator struct o < node_t *n > { w = 3; };
translator struct q < long x > { w = 4; };
dtrace:::BEGIN
{
	printf("%d %d %d %d %d\n", xlate <struct o>(1).w, xlate <struct o>(1L).w, xlate <struct o>((myint)1).w,
	    xlate <struct o>((struct node *)0).w, xlate <struct q>((char)1).w);
}
