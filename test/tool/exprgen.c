/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exprgen SEED COUNT fold|run D-FILE C-FILE: writes the same random integer expressions as a D program and
 * as a C program; run, both must print the same. "run" reads and assigns variables of every integer type
 * and storage (globals, self->, this->, members and bit-fields of memory from alloca); "fold" writes every
 * expression twice in D, over constants and over variables of the same values. Each expression's value,
 * what is recorded of it, its size and its signedness are printed.
 *
 * D computes in 64 bits, so in C every value is a uint64_t, D's variables too, and every operator a
 * function of them. What a type changes stands there by name: the sign of division, shifts and comparisons,
 * what casts and memory leave of a value. Shifts use the low six bits of their count, division by -1 wraps.
 * Divisors are odd, so not 0. D gets only the parentheses its precedence asks for.
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
	{ "unsigned char", "this->uc", "tuc", 8, false, false },
	{ "uint16_t", "this->us", "tus", 16, false, false }, { "int", "this->i", "ti", 32, true, false },
	{ "unsigned int", "this->u", "tu", 32, false, false },
	{ "unsigned long", "this->ul", "tul", 64, false, false },
	{ "char", "this->p->c", "p->c", 8, true, false }, { "short", "this->p->s", "p->s", 16, true, false },
	{ "unsigned int", "this->p->u", "p->u", 32, false, false },
	{ "long", "this->p->l", "p->l", 64, true, false }, { "int", "this->p->b3", "p->b3", 3, true, true },
	{ "unsigned int", "this->p->b5", "p->b5", 5, false, true },
	{ "int", "this->p->b20", "p->b20", 20, true, true },
	{ "unsigned int", "this->p->b31", "p->b31", 31, false, true },
	{ "int", "this->p->a[1]", "p->a[1]", 32, true, false },
	{ "unsigned short", "arr[1,\"x\"]", "arr", 16, false, false },
	{ "long", "self->ar[2]", "sar", 64, true, false },
};

static const char *const declarations =
	"enum e { MINUS = -1, NONE, ONE };\n"
	"struct s { char c; short s; unsigned u; long l; int b3:3; unsigned b5:5; int b20:20; unsigned "
	    "b31:31; int a[2]; };\n";

static const char *const c_head =
	"#include <stdint.h>\n#include <stdio.h>\ntypedef uint64_t u; typedef int64_t s;\n"
	"static u NEG(u a) { return -a; }\nstatic u NOT(u a) { return ~a; }\n"
	    "static u TRUTH(u a) { return !a; }\nstatic u PLUS(u a) { return a; }\n"
	"static u MUL(u a, u b) { return a * b; }\nstatic u ADD(u a, u b) { return a + b; }\n"
	    "static u SUB(u a, u b) { return a - b; }\n"
	"static u AND(u a, u b) { return a & b; }\nstatic u OR(u a, u b) { return a | b; }\n"
	    "static u XOR(u a, u b) { return a ^ b; }\n"
	"static u DIVs(u a, u b) { return b == -1ull ? -a : (u)((s)a / (s)b); }\n"
	    "static u DIVu(u a, u b) { return a / b; }\n"
	"static u MODs(u a, u b) { return b == -1ull ? 0 : (u)((s)a % (s)b); }\n"
	    "static u MODu(u a, u b) { return a % b; }\n"
	"static u SHL(u a, u b) { return a << (b & 63); }\n"
	"static u SHRs(u a, u b) { return (u)((s)a >> (b & 63)); }\n"
	    "static u SHRu(u a, u b) { return a >> (b & 63); }\n"
	"static u LTs(u a, u b) { return (s)a < (s)b; }\nstatic u LTu(u a, u b) { return a < b; }\n"
	"static u LEs(u a, u b) { return (s)a <= (s)b; }\nstatic u LEu(u a, u b) { return a <= b; }\n"
	"static u EQ(u a, u b) { return a == b; }\nstatic u NE(u a, u b) { return a != b; }\n"
	"static u LAND(u a, u b) { return a && b; }\nstatic u LOR(u a, u b) { return a || b; }\n"
	    "static u LXOR(u a, u b) { return !a != !b; }\n"
	"static u COMMA(u a, u b) { return b; }\nstatic u COND(u a, u b, u c) { return a ? b : c; }\n"
	"static u CUTs(u a, int n) { return (u)((s)(a << (64 - n)) >> (64 - n)); }\n"
	"static u CUTu(u a, int n) { return a << (64 - n) >> (64 - n); }\n"
	    "static u BOOL(u a) { return a != 0; }\n";

enum kind { LEAF, LITERAL, UNARY, CAST, BINARY, COND };

struct op {
	enum kind kind;
	int prec;
	const char *d, *c;	/* c: the function */
	bool by_sign;		/* which has two forms */
	bool swapped;		/* and takes its operands the other way round */
};

static const struct op ops[] = {
	{ UNARY, 14, "-", "NEG", 0, 0 }, { UNARY, 14, "~", "NOT", 0, 0 }, { UNARY, 14, "!", "TRUTH", 0, 0 },
	{ UNARY, 14, "+", "PLUS", 0, 0 }, { CAST, 14, NULL, NULL, 0, 0 }, { CAST, 14, NULL, NULL, 0, 0 },
	{ BINARY, 13, "*", "MUL", 0, 0 }, { BINARY, 13, "*", "MUL", 0, 0 },
	{ BINARY, 13, "/", "DIV", 1, 0 }, { BINARY, 13, "%", "MOD", 1, 0 }, { BINARY, 12, "+", "ADD", 0, 0 },
	{ BINARY, 12, "-", "SUB", 0, 0 }, { BINARY, 11, "<<", "SHL", 0, 0 },
	{ BINARY, 11, ">>", "SHR", 1, 0 }, { BINARY, 10, "<", "LT", 1, 0 }, { BINARY, 10, "<=", "LE", 1, 0 },
	{ BINARY, 10, ">", "LT", 1, 1 }, { BINARY, 10, ">=", "LE", 1, 1 }, { BINARY, 9, "==", "EQ", 0, 0 },
	{ BINARY, 9, "!=", "NE", 0, 0 }, { BINARY, 8, "&", "AND", 0, 0 }, { BINARY, 7, "^", "XOR", 0, 0 },
	{ BINARY, 6, "|", "OR", 0, 0 }, { BINARY, 5, "&&", "LAND", 0, 0 },
	{ BINARY, 4, "^^", "LXOR", 0, 0 }, { BINARY, 3, "||", "LOR", 0, 0 }, { COND, 2, NULL, "COND", 0, 0 },
	{ COND, 2, NULL, "COND", 0, 0 }, { BINARY, 0, ",", "COMMA", 0, 0 },
};
#define NOPS (sizeof(ops) / sizeof(ops[0]))

struct type { unsigned bits; bool is_signed; };	/* bits 1: _Bool */

static const struct { const char *text; struct type type; } literals[] = {
	{ "0", { 32, 1 } }, { "1", { 32, 1 } }, { "2", { 32, 1 } }, { "7", { 32, 1 } }, { "0177", { 32, 1 } },
	{ "0x7f", { 32, 1 } }, { "128", { 32, 1 } }, { "255", { 32, 1 } }, { "32767", { 32, 1 } },
	{ "0x8000", { 32, 1 } }, { "65535", { 32, 1 } }, { "2147483647", { 32, 1 } },
	{ "2147483648", { 64, 1 } }, { "0x7fffffff", { 32, 1 } }, { "0x80000000", { 32, 0 } },
	{ "0xffffffff", { 32, 0 } }, { "4294967295", { 64, 1 } }, { "4294967296", { 64, 1 } },
	{ "037777777777", { 32, 0 } }, { "1u", { 32, 0 } }, { "0U", { 32, 0 } }, { "4294967295u", { 32, 0 } },
	{ "1l", { 64, 1 } }, { "3L", { 64, 1 } }, { "0x80000000L", { 64, 1 } }, { "1ul", { 64, 0 } },
	{ "0xffffffffUL", { 64, 0 } }, { "5ll", { 64, 1 } }, { "9223372036854775807", { 64, 1 } },
	{ "0x8000000000000000", { 64, 0 } }, { "0xffffffffffffffff", { 64, 0 } },
	{ "18446744073709551615ull", { 64, 0 } }, { "01777777777777777777777", { 64, 0 } },
	{ "'a'", { 32, 1 } }, { "'\\n'", { 32, 1 } }, { "'\\0'", { 32, 1 } }, { "MINUS", { 32, 1 } },
	{ "ONE", { 32, 1 } }, { "1000000000", { 32, 1 } },
};
#define NLITERALS (sizeof(literals) / sizeof(literals[0]))

struct node {
	const struct op *op;
	enum kind kind;
	int prec;
	const struct var *var;		/* LEAF; the type of a CAST */
	size_t literal;
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
	n->literal = next(g, NLITERALS);
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
	n->b->literal = 1;
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
	n->b = op->prec == 13 && op->by_sign ? odd(g, depth - 1) : expr(g, depth - 1);
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

/* ---- D's types ---- */

static const struct type int_type = { 32, true };

static struct type promoted(struct type t)
{
	return t.bits == 1 ? int_type : t;
}

static struct type common(struct type a, struct type b)
{
	a = promoted(a);
	b = promoted(b);
	return a.bits + !a.is_signed >= b.bits + !b.is_signed ? a : b;
}

static struct type type_of(const struct node *n)
{
	switch (n->kind) {
	case LITERAL: return literals[n->literal].type;
	case LEAF: return n->var->bitfield ? int_type : (struct type){ n->var->bits, n->var->is_signed };
	case CAST: return n->var->bitfield ? (struct type){ 32, n->var->is_signed } :
	    (struct type){ n->var->bits, n->var->is_signed };
	case UNARY: return n->op->d[0] == '!' ? int_type : promoted(type_of(n->a));
	case COND: return common(type_of(n->b), type_of(n->c));
	default: break;
	}
	switch (n->op->prec) {
	case 0: return type_of(n->b);
	case 11: return promoted(type_of(n->a));
	case 3: case 4: case 5: case 9: case 10: return int_type;
	default: return common(type_of(n->a), type_of(n->b));
	}
}

static const char *sign(struct type t)
{
	return t.is_signed ? "s" : "u";
}

static unsigned size(struct type t)
{
	return t.bits == 1 ? 1 : t.bits / 8;
}

static void put_c(const struct gen *, const struct node *);

/* Of a signed operand that is narrower only its own bits count. */
static void cast_c(const struct gen *g, const struct node *n)
{
	struct type from = type_of(n->a), to = type_of(n);
	bool own = from.is_signed && from.bits < to.bits;

	if (to.bits == 1)
		fprintf(g->c, "BOOL(");
	else
		fprintf(g->c, "CUT%s(", sign(to));
	fprintf(g->c, "%s", own ? "CUTs(" : "");
	put_c(g, n->a);
	if (own)
		fprintf(g->c, ", %u)", from.bits);
	if (to.bits != 1)
		fprintf(g->c, ", %u", to.bits);
	fprintf(g->c, ")");
}

static void operator_c(const struct gen *g, const struct node *n)
{
	struct type by = n->op->prec == 11 ? type_of(n->a) : n->b ? common(type_of(n->a), type_of(n->b)) :
	    int_type;

	fprintf(g->c, "%s%s(", n->op->c, n->op->by_sign ? sign(by) : "");
	put_c(g, n->op->swapped ? n->b : n->a);
	if (n->b) {
		fprintf(g->c, ", ");
		put_c(g, n->op->swapped ? n->a : n->b);
	}
	if (n->c) {
		fprintf(g->c, ", ");
		put_c(g, n->c);
	}
	fprintf(g->c, ")");
}

static void put_c(const struct gen *g, const struct node *n)
{
	switch (n->kind) {
	case LITERAL: fprintf(g->c, "(u)%s", literals[n->literal].text); break;
	case LEAF: fprintf(g->c, "(u)%s", n->var->c); break;
	case CAST: cast_c(g, n); break;
	default: operator_c(g, n); break;
	}
}

static void put_d(struct gen *g, const struct node *n, int above, bool folded)
{
	FILE *f = g->d;
	bool parens = n->prec < above || (n->kind == LEAF && folded && above > 14);

	if (parens)
		fprintf(f, "(");
	if (n->kind == LITERAL) {
		fprintf(f, "%s", literals[n->literal].text);
	} else if (n->kind == LEAF && folded) {
		constant_leaf(g, f, n->var);
	} else if (n->kind == LEAF) {
		fprintf(f, "%s", n->var->d);
	} else if (n->kind == UNARY || n->kind == CAST) {
		fprintf(f, n->kind == CAST ? "(%s)" : "%s ", n->kind == CAST ? n->var->type : n->op->d);
		put_d(g, n->a, 14, folded);
	} else if (n->kind == COND) {
		/* a condition that is constant has the type of the arm it chooses */
		fprintf(f, "zero | ");
		put_d(g, n->a, 7, folded);
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

/* A long keeps all bits of what is assigned to it; a record has those of its type. */
static void print_d(struct gen *g, const struct node *e, int id, bool folded)
{
	fprintf(g->d, "\tall = (");
	put_d(g, e, 0, folded);
	fprintf(g->d, "); printf(\"%d %%d %%x %%d %%d\\n\", all, (", id);
	put_d(g, e, 0, folded);
	fprintf(g->d, "), (int)sizeof (");
	put_d(g, e, 0, folded);
	fprintf(g->d, "), (");
	put_d(g, e, 0, folded);
	fprintf(g->d, ") * 0 - 1 < 0);\n");
}

static void print_c(struct gen *g, const struct node *e, int id)
{
	struct type t = type_of(e);

	fprintf(g->c, "\tall = ");
	put_c(g, e);
	fprintf(g->c, "; printf(\"%d %%ld %%lx %u %d\\n\", (long)all, (long)CUTu(all, %u));\n", id, size(t),
	    common(t, int_type).is_signed, size(t) * 8);
}

/* The value of v op e as D computes it, with v's sign. */
static void compute_c(struct gen *g, const struct var *v, const char *func, bool by_sign,
    const struct node *e)
{
	struct type t = v->bitfield ? (struct type){ 32, v->is_signed } :
	    promoted((struct type){ v->bits, v->is_signed });

	fprintf(g->c, "%s%s((u)%s, ", func, by_sign ? sign(t) : "", v->c);
	if (e != NULL)
		put_c(g, e);
	else
		fprintf(g->c, "1");
	fprintf(g->c, ")");
}

/* v op= e, and what it left in v; or v++ and the like */
static void assignment(struct gen *g, int id)
{
	static const char *const steps[] = { "++%s", "--%s", "%s++", "%s--" };
	static const char *const kinds[] = { "=", "=", "+=", "-=", "*=", "&=", "|=", "^=", "/=", "%=", "<<=",
		">>=" };
	static const char *const func[] = { NULL, NULL, "ADD", "SUB", "MUL", "AND", "OR", "XOR", "DIV", "MOD",
		"SHL", "SHR" };
	const struct var *v = &var[next(g, NVARS)];
	uint32_t k = next(g, 16);
	struct node *e = k >= 12 ? NULL : k == 8 || k == 9 ? odd(g, 2) : expr(g, 2);

	fprintf(g->d, "\tall = (");
	if (e != NULL) {
		fprintf(g->d, "%s %s ", v->d, kinds[k]);
		put_d(g, e, 1, false);
	} else {
		fprintf(g->d, steps[k - 12], v->d);
	}
	fprintf(g->d, "); printf(\"%d %%d\", all); all = %s; printf(\" %%d %%x\\n\", all, %s);\n", id, v->d,
	    v->d);
	fprintf(g->c, "\told = (u)%s; all = %s(", v->c, v->bits == 1 ? "BOOL" : "PLUS");
	if (k < 2)
		put_c(g, e);
	else
		compute_c(g, v, k < 12 ? func[k] : k % 2 ? "SUB" : "ADD", k == 8 || k == 9 || k == 11, e);
	fprintf(g->c,
	    "); %s = all;\n\tprintf(\"%d %%ld\", (long)%s); printf(\" %%ld %%lx\\n"
	    "\", (long)%s, (long)CUTu((u)%s, %u));\n", v->c, id, k >= 14 ? "old" : "all", v->c, v->c,
	    v->bitfield ? 32 : size((struct type){ v->bits, v->is_signed }) * 8);
}

static void declare(struct gen *g)
{
	const char *tag;
	int len;

	fprintf(g->d, "/* @quiet */\n#pragma D option quiet\n%s", declarations);
	fprintf(g->d, "long all, zero;\n");
	fprintf(g->c, "%s%sint main(void)\n{\n\tstruct s mem = { 0 }, *p = &mem;\n\tu all, old;\n", c_head,
	    declarations);
	for (size_t i = 0; i < NVARS; i++) {
		g->value[i] = random_value(g, &var[i]);
		if (strchr(var[i].c, '>') != NULL)
			continue;
		fprintf(g->c, "\tu %s = 0;\n", var[i].c);
		if ((tag = strchr(var[i].d, '[')) != NULL)
			continue;
		tag = strchr(var[i].d, '>');
		len = tag ? (int)(tag - var[i].d) - 1 : 0;
		fprintf(g->d, "%.*s%s%s %s;\n", len, var[i].d, len ? " " : "", var[i].type,
		    tag ? tag + 1 : var[i].d);
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
