/* print() of structures and unions: nested, arrays, strings, bit-fields, pointers.
 * @mem: kernel 0xffff800000001000 hex 01 00 00 00 41 00 00 00 02 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 61 62 00 00 f5 00 00 00 ff ff ff ff
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
struct inner { uint64_t alpha; };
typedef struct foo {
	int a;
	char b;
	void *p;
	struct inner c;
	int d[3];
	char s[4];
	int low : 4;
	unsigned int high : 4;
	int n;
} foo_t;
union u { int i; char c; };
typedef struct { short x; short y; } pair_t;
BEGIN { print(*(foo_t *)arg0); }
BEGIN { print(*(struct inner *)arg0); }
BEGIN { print(*(union u *)arg0); }
BEGIN { print(((foo_t *)arg0)->d); }
BEGIN { print(((foo_t *)arg0)->s); }
BEGIN { print(((foo_t *)arg0)->c); }
BEGIN { print(((foo_t *)arg0)->low); }
BEGIN { print(*(pair_t *)arg0); }
