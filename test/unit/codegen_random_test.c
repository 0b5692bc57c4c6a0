/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code generator: random trees run by the interpreter give what the rules of C say, with all registers
 * and with few.
 */
#include "codegen_bench.h"

#define NVARS 8
static const char *const names[NVARS] = { "signed char", "unsigned char", "short", "unsigned short", "int",
	"unsigned int", "long", "unsigned long" };

struct random { uint64_t state; struct dt_ident *v[NVARS]; int64_t value[NVARS]; };

static uint64_t next(struct random *r)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return r->state >> 33;
}

static int64_t canon(uint64_t v, const struct dt_type *t)
{
	unsigned up = 64 - (unsigned)dt_type_base(t)->size * 8;

	return dt_type_is_signed(t) ? (int64_t)(v << up) >> up : (int64_t)(v << up >> up);
}

static const struct dt_type *wider(const struct dt_type *x, const struct dt_type *y)
{
	uint64_t rx = x->size * 8 + !x->is_signed, ry = y->size * 8 + !y->is_signed;

	return rx >= ry ? x : y;
}

static struct dt_node *grow(struct bench *b, struct random *r, unsigned depth, int64_t *value);

static int64_t compute(enum dt_op op, int64_t x, int64_t y, bool sgn)
{
	uint64_t ux = (uint64_t)x, uy = (uint64_t)y;

	switch (op) {
	case DT_OP_ADD: return (int64_t)(ux + uy);
	case DT_OP_SUB: return (int64_t)(ux - uy);
	case DT_OP_MUL: return (int64_t)(ux * uy);
	case DT_OP_DIV: return sgn ? (y == -1 ? (int64_t)-ux : x / y) : (int64_t)(ux / uy);
	case DT_OP_MOD: return sgn ? (y == -1 ? 0 : x % y) : (int64_t)(ux % uy);
	case DT_OP_SHL: return (int64_t)(ux << (uy & 63));
	case DT_OP_SHR: return sgn ? x >> (uy & 63) : (int64_t)(ux >> (uy & 63));
	case DT_OP_AND: return x & y;
	case DT_OP_OR: return x | y;
	case DT_OP_XOR: return x ^ y;
	case DT_OP_EQ: return x == y;
	case DT_OP_NE: return x != y;
	case DT_OP_LT: return sgn ? x < y : ux < uy;
	case DT_OP_LE: return sgn ? x <= y : ux <= uy;
	case DT_OP_GT: return sgn ? x > y : ux > uy;
	case DT_OP_GE: return sgn ? x >= y : ux >= uy;
	case DT_OP_LAND: return x && y;
	case DT_OP_LOR: return x || y;
	default: return !x != !y;
	}
}

static struct dt_node *grow_binary(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	enum dt_op op = DT_OP_ADD + (enum dt_op)(next(r) % (DT_OP_LXOR - DT_OP_ADD + 1));
	int64_t x, y;
	struct dt_node *l = grow(b, r, depth - 1, &x), *rt = grow(b, r, depth - 1 - next(r) % depth / 2, &y);
	const struct dt_type *t = wider(l->type, rt->type);

	if (op == DT_OP_SHL || op == DT_OP_SHR)
		t = l->type;
	if ((op == DT_OP_DIV || op == DT_OP_MOD) && y == 0)
		op = DT_OP_XOR;
	*value = compute(op, x, y, t->is_signed);
	return bin(b, op, l, rt, op >= DT_OP_EQ ? ty(b, "int") : t);
}

static struct dt_node *grow_cond(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	int64_t c, x, y;
	struct dt_node *n = node(b, DT_N_COND, NULL);

	n->a = grow(b, r, depth - 1, &c);
	n->b = grow(b, r, depth - 1, &x);
	n->c = grow(b, r, depth - 1, &y);
	n->type = wider(n->b->type, n->c->type);
	*value = c ? x : y;
	return n;
}

static struct dt_node *grow_unary(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	int64_t x;
	struct dt_node *a = grow(b, r, depth - 1, &x);
	uint64_t which = next(r) % 4;

	if (which == 0) {
		const struct dt_type *t = ty(b, names[next(r) % NVARS]);
		*value = canon((uint64_t)(a->type->is_signed &&
		    a->type->size < t->size ? canon((uint64_t)x, a->type) : x), t);
		return cast(b, a, t);
	}
	if (which == 1) {
		*value = (int64_t)-(uint64_t)x;
		return unary(b, DT_OP_NEG, a, a->type);
	}
	if (which == 2) {
		*value = ~x;
		return unary(b, DT_OP_BITNOT, a, a->type);
	}
	*value = !x;
	return unary(b, DT_OP_NOT, a, ty(b, "int"));
}

static struct dt_node *grow(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	uint64_t what = next(r) % 16;

	if (depth <= 1 || depth > 100) {
		unsigned i = (unsigned)(next(r) % NVARS);

		if (what < 4) {
			*value = canon(next(r) % 3 ? next(r) % 300 : next(r) * next(r), ty(b, names[i]));
			return num(b, *value, names[i]);
		}
		*value = r->value[i];
		return var(b, r->v[i]);
	}
	if (what < 2)
		return grow_cond(b, r, depth, value);
	if (what < 5)
		return grow_unary(b, r, depth, value);
	return grow_binary(b, r, depth, value);
}

/* x op= tree, with the sign of x. */
static bool assign_right(struct bench *b, struct machine *m, struct random *r, unsigned depth)
{
	enum dt_op op = DT_OP_ADD + (enum dt_op)(next(r) % (DT_OP_XOR - DT_OP_ADD + 1));
	unsigned i = (unsigned)(next(r) % NVARS);
	const struct dt_type *t = r->v[i]->type;
	int64_t y, x = r->value[i];
	struct dt_node *n = grow(b, r, depth, &y);

	if ((op == DT_OP_DIV || op == DT_OP_MOD) && y == 0)
		op = DT_OP_SUB;
	r->value[i] = compute(op, x, y, t->is_signed);
	return (int64_t)run(b, m, asgn(b, op, var(b, r->v[i]), n)) == r->value[i] &&
	    (int64_t)run(b, m, var(b, r->v[i])) == r->value[i];
}

static void test_random(struct bench *b, struct machine *m)
{
	struct random r = { .state = 12345 };
	unsigned wrong = 0;

	for (unsigned i = 0; i < NVARS; i++)
		r.v[i] = global(b, dt_arena_printf(b->arena, "v%u", i), ty(b, names[i]));
	for (unsigned round = 0; round < 1500 && wrong < 3; round++) {
		int64_t want, got;

		for (unsigned i = 0; i < NVARS && round % 10 == 0; i++) {
			r.value[i] = (int64_t)(next(&r) % 2 ? next(&r) << 33 ^ next(&r) : next(&r) % 5 - 2);
			run(b, m, asgn(b, DT_OP_NONE, var(b, r.v[i]), num(b, r.value[i], "long")));
		}
		b->opts.iregs = round % 3 == 0 ? 0 : 4 + round % 3;
		struct dt_node *n = grow(b, &r, 2 + round % 8, &want);
		got = (int64_t)run(b, m, n);
		if (!CHECK(got == want)) {
			fprintf(stderr, "round %u: got %llx, want %llx\n", round, (unsigned long long)got,
			    (unsigned long long)want);
			if (dt_cg_expr(&b->opts, n)->ntext < 60)
				fprintf(stderr, "%s\n", code(b, dt_cg_expr(&b->opts, n)));
			wrong++;
		}
		wrong += !CHECK(assign_right(b, m, &r, 1 + round % 5));
	}
	b->opts.iregs = 0;
	CHECK(b->ntemps > 0);
}

int main(void)
{
	struct bench b;
	struct machine m;

	bench_open(&b);
	if (setjmp(b.diag.env)) {
		fprintf(stderr, "compile failed: %s\n", b.diag.msg ? b.diag.msg : "out of memory");
		return 1;
	}
	machine_open(&m);
	test_random(&b, &m);
	dt_interp_free(m.ip);
	bench_close(&b);
	return check_report("codegen_random");
}
