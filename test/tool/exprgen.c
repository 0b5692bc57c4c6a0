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
 * what casts and memory leave of a value, and what is left of a constant in a declared variable (N1). Whether
 * an expression is constant is decided here, as doc/DIF.md says it. The arms of ?: have one type, whether the
 * condition is constant or not (N19). Shifts use the low six bits of their count, division by -1 wraps.
 * Divisors are odd, so not 0. D gets only the parentheses its precedence asks for.
 */
#include "exprgen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_CLAUSE 25
#define MAX_DEPTH 4

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
	bool fold, literals;		/* literals: leaves are literals */
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
	struct node *n = node(g, g->literals || next(g, 4) == 0 ? LITERAL : LEAF, 15);

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

/* ---- constants ---- */

/* The value as a type of so many bits holds it. */
static uint64_t cut(uint64_t v, struct type t)
{
	if (t.bits == 1)
		return v != 0;
	v <<= 64 - t.bits;
	return t.is_signed ? (uint64_t)((int64_t)v >> (64 - t.bits)) : v >> (64 - t.bits);
}

static uint64_t literal_value(const char *text)
{
	if (text[0] != '\'')
		return strcmp(text, "MINUS") == 0 ? UINT64_MAX : strcmp(text, "ONE") == 0 ? 1 :
		    strtoull(text, NULL, 0);
	return text[1] != '\\' ? (uint64_t)text[1] : text[2] == 'n' ? '\n' : 0;
}

static uint64_t quotient(uint64_t a, uint64_t b, bool is_signed, bool rem)
{
	if (is_signed && b == UINT64_MAX)
		return rem ? 0 : -a;
	if (is_signed)
		return (uint64_t)(rem ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	return rem ? a % b : a / b;
}

static uint64_t computed(const struct op *op, bool is_signed, uint64_t a, uint64_t b)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op->d[0]) {
	case '*': return a * b;
	case '/': case '%': return quotient(a, b, is_signed, op->d[0] == '%');
	case '+': return a + b;
	case '-': return a - b;
	case '=': return a == b;
	case '!': return a != b;
	case '&': return op->d[1] ? a && b : a & b;
	case '|': return op->d[1] ? a || b : a | b;
	case '^': return op->d[1] ? !a != !b : a ^ b;
	case '<': return op->d[1] == '<' ? a << (b & 63) : op->d[1] ? less || a == b : less;
	default: break;
	}
	if (op->d[1] != '>')
		return op->d[1] ? !less : !less && a != b;
	return is_signed ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63);
}

static bool constant_value(const struct node *n, uint64_t *v);

/* && and || are known by their left side alone when it decides; a comma is never constant. */
static bool constant_binary(const struct node *n, uint64_t *v)
{
	bool logical = n->op->prec == 3 || n->op->prec == 5;
	struct type by = n->op->prec == 11 ? type_of(n->a) : common(type_of(n->a), type_of(n->b));
	uint64_t a, b;

	if (n->op->prec == 0 || !constant_value(n->a, &a))
		return false;
	if (logical && (a != 0) == (n->op->prec == 3)) {
		*v = a != 0;
		return true;
	}
	if (!constant_value(n->b, &b))
		return false;
	*v = computed(n->op, by.is_signed, a, b);
	return true;
}

static bool constant_value(const struct node *n, uint64_t *v)
{
	struct type from;
	uint64_t a;

	if (n->kind == LITERAL)
		*v = literal_value(literals[n->literal].text);
	if (n->kind == LITERAL || n->kind == LEAF)
		return n->kind == LITERAL;
	if (n->kind == BINARY)
		return constant_binary(n, v);
	if (!constant_value(n->a, &a))
		return false;
	if (n->kind == COND)
		return constant_value(a ? n->b : n->c, v);
	from = type_of(n->a);
	if (n->kind == CAST)
		*v = cut(from.is_signed && from.bits < type_of(n).bits ? cut(a, from) : a, type_of(n));
	else
		*v = n->op->d[0] == '-' ? -a : n->op->d[0] == '~' ? ~a : n->op->d[0] == '!' ? !a : a;
	return true;
}

/* What v = e leaves in v: a declared variable holds a constant as its type does, and all of other values. */
static void assigned_c(struct gen *g, const struct var *v, const struct node *e)
{
	uint64_t known;

	if (strstr(v->c, "->") == NULL && v->bits > 1 && constant_value(e, &known))
		fprintf(g->c, "0x%" PRIx64 "ull", cut(known, (struct type){ v->bits, v->is_signed }));
	else
		put_c(g, e);
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
	uint32_t k = next(g, 20) % 16;
	struct node *e;

	g->literals = k < 2 && next(g, 2);
	e = k >= 12 ? NULL : k == 8 || k == 9 ? odd(g, 2) : expr(g, 2);
	g->literals = false;
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
		assigned_c(g, v, e);
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
	fprintf(g->d, "long all;\n");
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
