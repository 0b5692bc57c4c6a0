/*
 * An output of another type comes through a translator.
 * @quiet
 * @mem: kernel 0x1000 u32 5 6
 * @fire: tp:::ev arg0=0x1000 arg1=9
 */
struct raw { int a; int b; };
typedef struct nice { int sum; string what; } nice_t;
typedef struct num { int n; } num_t;
translator nice_t < struct raw *r > { sum = r->a + r->b; what = "raw"; };
translator num_t < int i > { n = i + 1; };
provider tp { probe ev(struct raw *r, int i) : (nice_t *r, num_t *i, int i); };
tp:::ev
{
	printf("%d %s %d %d\n", args[0]->sum, args[0]->what, args[1]->n, args[2]);
	trace(args[0]->sum);
	self->n = args[1]->n; printf(" %d\n", self->n);
}
