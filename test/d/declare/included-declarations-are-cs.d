/*
 * What an #include brought (line marks with flag 1, until flag 2) is C's: D may use the names again, and D's
 * own functions and names stay what they are.
 * @quiet
 */
int RED;
# 1 "included.h" 1
enum colour { RED = 5, GREEN };
struct pt { int x, y; };
typedef struct pt pt_t;
int printf(const char *, ...);
# 1 "inner.h" 1
typedef short inner_t;
# 6 "included.h" 2
typedef int outer_t;
# 17 "main.d" 2
struct pt { int a, b, c; };
pt_t p;
BEGIN
{
	p.y = 3;
	printf("%d %d %d %d %d %d\n", RED, GREEN, p.y, sizeof (inner_t), sizeof (outer_t), sizeof (pt_t));
}
