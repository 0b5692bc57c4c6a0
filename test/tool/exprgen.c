/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exprgen SEED COUNT fold|run D-FILE C-FILE: writes the same random integer expressions as a D program and as a C
 * program; run, both must print the same. "run" reads and assigns variables of every integer type and storage (globals,
 * self->, this->, members and bit-fields of memory from alloca); "fold" writes every expression twice in D, over
 * constants and over variables of the same values. Each expression's value, size and signedness are printed.
 *
 * D gets only the parentheses its precedence asks for, C gets all of them. What C leaves undefined goes through functions
 * there: shifts use the low six bits of their count on the widened value, division by -1 wraps. Divisors are odd, so not 0.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_CLAUSE 25
#define MAX_DEPTH 4
#define NVARS (sizeof(var) / sizeof(var[0]))

struct var {
	const char *type, *d, *c;	/* declared type, name in D, in C */
	unsigned bits;
	bool is_signed, bitfield;
};

static const struct var var[] = {
	{ "char", "gc", "gc", 8, true, false }, { "signed char", "gsc", "gsc", 8, true, false },
	{ "unsigned char", "guc", "guc", 8, false, false }, { "short", "gs", "gs", 16, true, false },
	{ "unsigned short", "gus", "gus", 16, false, false }, { "int", "gi", "gi", 32, true, false },
	{ "unsigned int", "gu", "gu", 32, false, false }, { "long", "gl", "gl", 64, true, false },
	{ "unsigned long", "gul", "gul", 64, false, false }, { "long long", "gll", "gll", 64, true, false },
	{ "unsigned long long", "gull", "gull", 64, false, false }, { "_Bool", "gb", "gb", 1, false, false },
	{ "enum e", "ge", "ge", 32, true, false }, { "int64_t", "gi64", "gi64", 64, true, false },
	{ "uint32_t", "gu32", "gu32", 32, false, false }, { "int8_t", "self->i8", "si8", 8, true, false },
	{ "short", "self->s", "ss", 16, true, false }, { "int", "self->i", "si", 32, true, false },
	{ "unsigned int", "self->u", "su", 32, false, false }, { "long", "self->l", "sl", 64, true, false },
	{ "unsigned char", "this->uc", "tuc", 8, false, false }, { "uint16_t", "this->us", "tus", 16, false, false },
	{ "int", "this->i", "ti", 32, true, false }, { "unsigned int", "this->u", "tu", 32, false, false },
	{ "unsigned long", "this->ul", "tul", 64, false, false }, { "char", "this->p->c", "p->c", 8, true, false },
	{ "short", "this->p->s", "p->s", 16, true, false }, { "unsigned int", "this->p->u", "p->u", 32, false, false },
	{ "long", "this->p->l", "p->l", 64, true, false }, { "int", "this->p->b3", "p->b3", 3, true, true },
	{ "unsigned int", "this->p->b5", "p->b5", 5, false, true }, { "int", "this->p->b20", "p->b20", 20, true, true },
	{ "unsigned int", "this->p->b31", "p->b31", 31, false, true }, { "int", "this->p->a[1]", "p->a[1]", 32, true, false },
	{ "unsigned short", "arr[1,\"x\"]", "arr", 16, false, false }, { "long", "self->ar[2]", "sar", 64, true, false },
};

static const char *const common =
	"enum e { MINUS = -1, NONE, ONE };\n"
	"struct s { char c; short s; unsigned u; long l; int b3:3; unsigned b5:5; int b20:20; unsigned b31:31; int a[2]; };\n";

static const char *const c_head =
	"#include <stdint.h>\n#include <stdio.h>\n"
	"#define ALL(f) f(int, i, long) f(unsigned, u, unsigned long) f(long, l, long) f(unsigned long, ul, unsigned long) \\\n"
	"\tf(long long, ll, long) f(unsigned long long, ull, unsigned long)\n"
	"#define DEF(t, n, w) static t shl_##n(t a, int b) { return (t)((uint64_t)a << (b & 63)); } \\\n"
	"\tstatic t shr_##n(t a, int b) { return (t)((w)a >> (b & 63)); } \\\n"
	"\tstatic t div_##n(t a, t b) { return (t)-1 < 0 && b == (t)-1 ? (t)(0 - (uint64_t)a) : a / b; } \\\n"
	"\tstatic t mod_##n(t a, t b) { return (t)-1 < 0 && b == (t)-1 ? 0 : a % b; }\n"
	"ALL(DEF)\n"
	"#define PICK(f, x) _Generic(x, int: f##_i, unsigned: f##_u, long: f##_l, unsigned long: f##_ul, \\\n"
	"\tlong long: f##_ll, unsigned long long: f##_ull)\n"
	"#define SHL(a, b) PICK(shl, +(a))(a, (int)((b) & 63))\n"
	"#define SHR(a, b) PICK(shr, +(a))(a, (int)((b) & 63))\n"
	"#define DIV(a, b) PICK(div, (a) + (b))(a, b)\n"
	"#define MOD(a, b) PICK(mod, (a) + (b))(a, b)\n"
	"#define XOR(a, b) (!(a) != !(b))\n";

enum kind { LEAF, LITERAL, UNARY, CAST, BINARY, FUNC, COND };

struct op {
	enum kind kind;
	int prec;
	const char *d, *c;	/* c: the function, for FUNC */
};

static const struct op ops[] = {
	{ UNARY, 14, "-", NULL }, { UNARY, 14, "~", NULL }, { UNARY, 14, "!", NULL }, { UNARY, 14, "+", NULL },
	{ CAST, 14, NULL, NULL }, { CAST, 14, NULL, NULL }, { BINARY, 13, "*", NULL }, { FUNC, 13, "/", "DIV" },
	{ FUNC, 13, "%", "MOD" }, { BINARY, 12, "+", NULL }, { BINARY, 12, "-", NULL }, { BINARY, 12, "-", NULL },
	{ FUNC, 11, "<<", "SHL" }, { FUNC, 11, ">>", "SHR" }, { BINARY, 10, "<", NULL }, { BINARY, 10, "<=", NULL },
	{ BINARY, 10, ">", NULL }, { BINARY, 10, ">=", NULL }, { BINARY, 9, "==", NULL }, { BINARY, 9, "!=", NULL },
	{ BINARY, 8, "&", NULL }, { BINARY, 7, "^", NULL }, { BINARY, 6, "|", NULL }, { BINARY, 5, "&&", NULL },
	{ FUNC, 4, "^^", "XOR" }, { BINARY, 3, "||", NULL }, { COND, 2, NULL, NULL }, { COND, 2, NULL, NULL },
	{ BINARY, 0, ",", NULL },
};
#define NOPS (sizeof(ops) / sizeof(ops[0]))

static const char *const literals[] = {
	"0", "1", "2", "7", "0177", "0x7f", "128", "255", "32767", "0x8000", "65535", "2147483647", "2147483648",
	"0x7fffffff", "0x80000000", "0xffffffff", "4294967295", "4294967296", "037777777777", "1u", "0U", "4294967295u",
	"1l", "3L", "0x80000000L", "1ul", "0xffffffffUL", "5ll", "9223372036854775807", "0x8000000000000000",
	"0xffffffffffffffff", "18446744073709551615ull", "01777777777777777777777", "'a'", "'\\n'", "'\\0'", "MINUS", "ONE",
};
#define NLITERALS (sizeof(literals) / sizeof(literals[0]))

struct node {
	const struct op *op;
	enum kind kind;
	int prec;
	const struct var *var;		/* LEAF; the type of a CAST */
	const char *text;		/* LITERAL */
	struct node *a, *b, *c;
};

struct gen {
	uint64_t seed;
	bool fold;
	uint64_t value[NVARS];
	struct node pool[512];
	unsigned used;
	FILE *d, *c;
};

static uint32_t next(struct gen *g, uint32_t below)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(g->seed >> 33) % below;
}

static uint64_t random_value(struct gen *g, const struct var *v)
{
	static const uint64_t edge[] = { 0, 1, 2, (uint64_t)-1, (uint64_t)-2, 3, 31, 32, 63, 64 };
	uint64_t x, top = 1ull << (v->bits - 1);

	switch (next(g, 4)) {
	case 0: x = edge[next(g, 10)]; break;
	case 1: x = top - next(g, 3); break;
	case 2: x = top + next(g, 2); break;
	default: x = (uint64_t)next(g, 1u << 31) << 33 ^ (uint64_t)next(g, 1u << 31) << 16 ^ next(g, 65536);
	}
	return v->bits == 64 ? x : v->bits == 1 ? x & 1 : x & ((1ull << v->bits) - 1);
}

static struct node *node(struct gen *g, enum kind kind, int prec)
{
	struct node *n = &g->pool[g->used++];

	*n = (struct node){ .kind = kind, .prec = prec };
	return n;
}

static struct node *leaf(struct gen *g)
{
	struct node *n = node(g, next(g, 4) == 0 ? LITERAL : LEAF, 15);

	n->var = &var[next(g, NVARS)];
	n->text = literals[next(g, NLITERALS)];
	return n;
}

static struct node *expr(struct gen *g, int depth);

/* e | 1: never zero */
static struct node *odd(struct gen *g, int depth)
{
	struct node *n = node(g, BINARY, 6);

	for (n->op = ops; n->op->d == NULL || strcmp(n->op->d, "|") != 0; n->op++)
		;
	n->a = expr(g, depth);
	n->b = node(g, LITERAL, 15);
	n->b->text = "1";
	return n;
}

/* sizeof may not see a bare bit-field: not at the top, not through a comma */
static struct node *value(struct gen *g, struct node *e)
{
	struct node *n;

	if (e->kind != LEAF || !e->var->bitfield)
		return e;
	n = node(g, UNARY, 14);
	n->op = &ops[3];
	n->a = e;
	return n;
}

static struct node *expr(struct gen *g, int depth)
{
	const struct op *op = &ops[next(g, NOPS)];
	struct node *n;

	if (depth == 0 || next(g, 8) == 0)
		return leaf(g);
	n = node(g, op->kind, op->prec);
	n->op = op;
	n->a = expr(g, depth - 1);
	if (op->kind == CAST)
		n->var = &var[next(g, NVARS)];
	if (op->kind < BINARY)
		return n;
	n->b = op->prec == 13 && op->kind == FUNC ? odd(g, depth - 1) : expr(g, depth - 1);
	if (op->prec == 0)
		n->b = value(g, n->b);
	if (op->kind == COND)
		n->c = expr(g, depth - 1);
	return n;
}

static void constant(const struct gen *g, FILE *f, const struct var *v)
{
	fprintf(f, "(%s)0x%" PRIx64 "ul", v->type, g->value[v - var]);
}

/* With the bits of a bit-field: what the field holds, as the type it promotes to. */
static void constant_leaf(const struct gen *g, FILE *f, const struct var *v)
{
	uint64_t x = g->value[v - var];

	if (!v->bitfield) {
		constant(g, f, v);
		return;
	}
	if (v->is_signed && (x >> (v->bits - 1) & 1))
		x |= ~0ull << v->bits;
	fprintf(f, "(int)0x%" PRIx64 "ul", x);
}

static void put_c(const struct gen *g, const struct node *n)
{
	FILE *f = g->c;

	if (n->kind == LITERAL) {
		fprintf(f, "%s", n->text);
	} else if (n->kind == LEAF) {
		fprintf(f, "%s", n->var->c);
	} else if (n->kind == UNARY || n->kind == CAST) {
		fprintf(f, n->kind == CAST ? "((%s)" : "(%s ", n->kind == CAST ? n->var->type : n->op->d);
		put_c(g, n->a);
		fprintf(f, ")");
	} else {
		fprintf(f, "%s(", n->kind == FUNC ? n->op->c : "");
		put_c(g, n->a);
		fprintf(f, " %s ", n->kind == FUNC ? "," : n->kind == COND ? "?" : n->op->d);
		put_c(g, n->b);
		if (n->kind == COND) {
			fprintf(f, " : ");
			put_c(g, n->c);
		}
		fprintf(f, ")");
	}
}

static void put_d(struct gen *g, const struct node *n, int above, bool folded)
{
	FILE *f = g->d;
	bool parens = n->prec < above || (n->kind == LEAF && folded && above > 14);

	if (parens)
		fprintf(f, "(");
	if (n->kind == LITERAL) {
		fprintf(f, "%s", n->text);
	} else if (n->kind == LEAF && folded) {
		constant_leaf(g, f, n->var);
	} else if (n->kind == LEAF) {
		fprintf(f, "%s", n->var->d);
	} else if (n->kind == UNARY || n->kind == CAST) {
		fprintf(f, n->kind == CAST ? "(%s)" : "%s ", n->kind == CAST ? n->var->type : n->op->d);
		put_d(g, n->a, 14, folded);
	} else if (n->kind == COND) {
		put_d(g, n->a, 3, folded);
		fprintf(f, " ? ");
		put_d(g, n->b, 0, folded);
		fprintf(f, " : ");
		put_d(g, n->c, 2, folded);
	} else {
		put_d(g, n->a, n->prec, folded);
		fprintf(f, n->prec == 0 ? "%s " : " %s ", n->op->d);
		put_d(g, n->b, n->prec + 1, folded);
	}
	if (parens)
		fprintf(f, ")");
}

static void print_d(struct gen *g, const struct node *e, int id, bool folded)
{
	fprintf(g->d, "\tprintf(\"%d %%d %%d %%d\\n\", (long)(", id);
	put_d(g, e, 0, folded);
	fprintf(g->d, "), (int)sizeof (");
	put_d(g, e, 0, folded);
	fprintf(g->d, "), (");
	put_d(g, e, 0, folded);
	fprintf(g->d, ") * 0 - 1 < 0);\n");
}

static void print_c(struct gen *g, const struct node *e, int id)
{
	fprintf(g->c, "\tprintf(\"%d %%ld %%d %%d\\n\", (long)(", id);
	put_c(g, e);
	fprintf(g->c, "), (int)sizeof(");
	put_c(g, e);
	fprintf(g->c, "), (");
	put_c(g, e);
	fprintf(g->c, ") * 0 - 1 < 0);\n");
}

/* v op= e, and what it left in v; or v++ and the like */
static void assignment(struct gen *g, int id)
{
	static const char *const steps[] = { "++%s", "--%s", "%s++", "%s--" };
	static const char *const kinds[] = { "=", "=", "+=", "-=", "*=", "&=", "|=", "^=", "/=", "%=", "<<=", ">>=" };
	static const char *const func[] = { "DIV", "MOD", "SHL", "SHR" };
	const struct var *v = &var[next(g, NVARS)];
	uint32_t k = next(g, 16);
	struct node *e;

	fprintf(g->d, "\tprintf(\"%d %%d\", (long)(", id);
	fprintf(g->c, "\tprintf(\"%d %%ld\", (long)(", id);
	if (k >= 12) {
		fprintf(g->d, steps[k - 12], v->d);
		fprintf(g->c, steps[k - 12], v->c);
	} else {
		e = k == 8 || k == 9 ? odd(g, 2) : expr(g, 2);
		fprintf(g->d, "%s %s ", v->d, kinds[k]);
		put_d(g, e, 1, false);
		if (k < 8)
			fprintf(g->c, "%s %s ", v->c, kinds[k]);
		else
			fprintf(g->c, "%s = %s(%s, ", v->c, func[k - 8], v->c);
		put_c(g, e);
		fprintf(g->c, "%s", k < 8 ? "" : ")");
	}
	fprintf(g->d, "));\n\tprintf(\" %%d\\n\", (long)%s);\n", v->d);
	fprintf(g->c, "));\n\tprintf(\" %%ld\\n\", (long)%s);\n", v->c);
}

static void declare(struct gen *g)
{
	const char *tag;
	int len;

	fprintf(g->d, "/* @quiet */\n#pragma D option quiet\n%s", common);
	fprintf(g->c, "%s%sint main(void)\n{\n\tstruct s mem = { 0 }, *p = &mem;\n", c_head, common);
	for (size_t i = 0; i < NVARS; i++) {
		g->value[i] = random_value(g, &var[i]);
		if (strchr(var[i].c, '>') != NULL)
			continue;
		fprintf(g->c, "\t%s %s = 0;\n", var[i].type, var[i].c);
		if ((tag = strchr(var[i].d, '[')) != NULL)
			continue;
		tag = strchr(var[i].d, '>');
		len = tag ? (int)(tag - var[i].d) - 1 : 0;
		fprintf(g->d, "%.*s%s%s %s;\n", len, var[i].d, len ? " " : "", var[i].type, tag ? tag + 1 : var[i].d);
	}
	fprintf(g->d, "unsigned short arr[int, string];\nself long ar[int];\n");
}

/* A new clause, with memory of its own: what alloca gives is gone at a clause's end. */
static void clause(struct gen *g, bool first)
{
	fprintf(g->d, "%sBEGIN\n{\n\tthis->p = (struct s *)alloca(sizeof (struct s));\n", first ? "" : "}\n");
	for (size_t i = 0; i < NVARS; i++) {
		if (!first && strchr(var[i].c, '>') == NULL)
			continue;
		fprintf(g->d, "\t%s = ", var[i].d);
		constant(g, g->d, &var[i]);
		fprintf(g->c, "\t%s = ", var[i].c);
		constant(g, g->c, &var[i]);
		fprintf(g->d, ";\n");
		fprintf(g->c, ";\n");
	}
}

static void one(struct gen *g, int id)
{
	struct node *e;

	g->used = 0;
	if (!g->fold && next(g, 4) == 0) {
		assignment(g, id);
		return;
	}
	e = value(g, expr(g, 1 + (int)next(g, MAX_DEPTH)));
	if (g->fold)
		print_d(g, e, id, true);
	print_d(g, e, id, false);
	print_c(g, e, id);
	if (g->fold)
		print_c(g, e, id);
}

int main(int argc, char **argv)
{
	struct gen g = { 0 };
	int count;

	if (argc != 6 || (strcmp(argv[3], "fold") != 0 && strcmp(argv[3], "run") != 0) ||
	    !(g.d = fopen(argv[4], "w")) || !(g.c = fopen(argv[5], "w"))) {
		fprintf(stderr, "usage: exprgen SEED COUNT fold|run D-FILE C-FILE\n");
		return 2;
	}
	g.seed = strtoull(argv[1], NULL, 0);
	count = atoi(argv[2]);
	g.fold = argv[3][0] == 'f';
	declare(&g);
	for (int i = 0; i < count; i++) {
		if (i % PER_CLAUSE == 0)
			clause(&g, i == 0);
		one(&g, i);
	}
	fprintf(g.d, "}\n");
	fprintf(g.c, "\treturn 0;\n}\n");
	return fclose(g.d) | fclose(g.c);
}
