/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The integer rule of doc/DIF.md (N1, N19): expressions of 64 bits over operands of declared widths, 8 to 64
 * bits with and without sign. Each is written with constants, which the compiler folds, with variables that
 * hold the same values, and with both. What it must be is computed here: value, size and sign, and what an
 * assignment leaves in a declared variable. A bit of `broken` tells which of them came out otherwise.
 */
#include "gen_impl.h"

#include <inttypes.h>
#include <string.h>

#define pick gen_pick
#define put gen_put

#define NTYPES 8
#define NPLACES 5
#define POOL 64
#define DEPTH 3

struct type { unsigned bits; bool is_signed; };
enum kind { LEAF, UNARY, CAST, BINARY, COND };
enum form { FOLDED, COMPUTED, MIXED };

static const char *const type_names[NTYPES] = { "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
	"uint32_t", "int64_t", "uint64_t" };
/* sources hold the operands, targets are assigned to: s0, self->s1 … and t0, self->t1 … */
static const char *const places[NPLACES] = { "%s%u", "self->%s%u", "this->%s%u", "%sa%u[1]",
	"self->%sb%u[\"k\"]" };
static const char *const unaries = "-~!+";
static const char *const binaries[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">",
	">=", "==", "!=", "&&", "||", "^^" };

struct node {
	enum kind kind;
	struct type type;
	uint64_t value;
	unsigned source;		/* LEAF: its type, and the variable that holds its value */
	bool known;			/* LEAF: written as a constant in every form */
	bool mixed;			/* LEAF: written as a constant in the mixed form */
	const char *op;
	struct node *a, *b, *c;
};

struct rule {
	struct gen *g;
	struct node pool[POOL];
	unsigned used, bits;		/* nodes in use; bits of `broken` given out */
	uint64_t value[NTYPES];
	unsigned place[NTYPES];
};

static struct type type_of(unsigned i) { return (struct type){ 8u << (i / 2), i % 2 == 0 }; }

/* In the order of type_names, by keywords: another word at the start of a clause is a probe description. */
const char *const gen_integer_declarations =
	"unsigned long broken;\n"
#define DECLARE(n, t) t " s" n "; self " t " s" n "; this " t " s" n "; " t " sa" n "[int]; self " t \
	" sb" n "[string]; " \
	t " t" n "; self " t " t" n "; this " t " t" n "; " t " ta" n "[int]; self " t " tb" n "[string];\n"
	DECLARE("0", "signed char") DECLARE("1", "unsigned char") DECLARE("2", "short")
	DECLARE("3", "unsigned short") DECLARE("4", "int") DECLARE("5", "unsigned") DECLARE("6", "long")
	DECLARE("7", "unsigned long");

/* ---- what it must be ---- */

static uint64_t cut(uint64_t v, struct type t)
{
	v <<= 64 - t.bits;
	return t.is_signed ? (uint64_t)((int64_t)v >> (64 - t.bits)) : v >> (64 - t.bits);
}

static struct type common(struct type a, struct type b)
{
	if (a.bits != b.bits)
		return a.bits > b.bits ? a : b;
	return a.is_signed ? b : a;
}

static uint64_t divided(uint64_t a, uint64_t b, bool is_signed, bool rem)
{
	if (!is_signed)
		return rem ? a % b : a / b;
	if (b == UINT64_MAX)
		return rem ? 0 : -a;
	return (uint64_t)(rem ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shifted(uint64_t a, uint64_t by, bool is_signed)
{
	return is_signed ? (uint64_t)((int64_t)a >> (by & 63)) : a >> (by & 63);
}

static uint64_t binary_value(const char *op, uint64_t a, uint64_t b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b, twice = op[1] != '\0';

	switch (op[0]) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': case '%': return divided(a, b, is_signed, op[0] == '%');
	case '&': return twice ? a && b : a & b;
	case '|': return twice ? a || b : a | b;
	case '^': return twice ? !a != !b : a ^ b;
	case '=': return a == b;
	case '!': return a != b;
	case '<': return !twice ? less : op[1] == '<' ? a << (b & 63) : less || a == b;
	default: return !twice ? !less && a != b : op[1] == '>' ? shifted(a, b, is_signed) : !less;
	}
}

static bool is_shift(const char *op) { return strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0; }
static bool is_logical(const char *op) { return strcmp(op, "&&") == 0 || strcmp(op, "||") == 0; }

/* Results of comparisons and logical operators are of type int. */
static bool gives_int(const char *op)
{
	return is_logical(op) || strchr("=!", op[0]) || strcmp(op, "^^") == 0 ||
	    (strchr("<>", op[0]) && !is_shift(op));
}

static void type_binary(struct node *n)
{
	struct type by = is_shift(n->op) ? n->a->type : common(n->a->type, n->b->type);

	n->type = gives_int(n->op) ? (struct type){ 32, true } : by;
	n->value = binary_value(n->op, n->a->value, n->b->value, by.is_signed);
}

static void type_unary(struct node *n)
{
	uint64_t a = n->a->value;

	n->type = n->op[0] == '!' ? (struct type){ 32, true } : n->a->type;
	n->value = n->op[0] == '-' ? -a : n->op[0] == '~' ? ~a : n->op[0] == '!' ? !a : a;
}

/* Of a signed operand that is narrower only its own bits count. */
static void type_cast(struct node *n)
{
	struct type from = n->a->type;
	uint64_t a = n->a->value;

	n->type = type_of(n->source);
	n->value = cut(from.is_signed && from.bits < n->type.bits ? cut(a, from) : a, n->type);
}

static bool leaf_known(const struct node *n, enum form form)
{
	return n->known || form == FOLDED || (form == MIXED && n->mixed);
}

static bool constant(const struct node *n, enum form form)
{
	switch (n->kind) {
	case LEAF: return leaf_known(n, form);
	case COND: return constant(n->a, form) && constant(n->a->value ? n->b : n->c, form);
	case BINARY: break;
	default: return constant(n->a, form);
	}
	if (!constant(n->a, form))
		return false;
	if (is_logical(n->op) && (n->a->value != 0) == (n->op[0] == '|'))
		return true;
	return constant(n->b, form);
}

/* ---- trees ---- */

static uint64_t random_value(struct gen *g, struct type t)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 31, 32, 63, 64, UINT64_MAX, UINT64_MAX - 1 };
	uint64_t top = 1ull << (t.bits - 1);

	switch (pick(g, 4)) {
	case 0: return cut(ONE(g, edges), t);
	case 1: return cut(top - pick(g, 3), t);
	case 2: return cut(top + pick(g, 2), t);
	default: return cut((uint64_t)pick(g, 1u << 31) << 33 ^ (uint64_t)pick(g, 1u << 31) << 9 ^
		pick(g, 512), t);
	}
}

static struct node *node(struct rule *r, enum kind kind)
{
	struct node *n = &r->pool[r->used++];

	*n = (struct node){ .kind = kind };
	return n;
}

static struct node *leaf(struct rule *r)
{
	struct node *n = node(r, LEAF);

	n->source = pick(r->g, NTYPES);
	n->type = type_of(n->source);
	n->value = r->value[n->source];
	n->mixed = pick(r->g, 2);
	return n;
}

static struct node *tree(struct rule *r, int depth);

/* tree | 1: never 0 */
static struct node *divisor(struct rule *r, int depth)
{
	struct node *n = node(r, BINARY), *one = node(r, LEAF);

	*one = (struct node){ .kind = LEAF, .type = { 32, true }, .value = 1, .source = 4, .known = true };
	n->op = "|";
	n->a = tree(r, depth);
	n->b = one;
	type_binary(n);
	return n;
}

static struct node *tree(struct rule *r, int depth)
{
	static const enum kind kinds[] = { UNARY, CAST, BINARY, BINARY, BINARY, BINARY, COND };
	struct node *n;

	if (depth == 0 || pick(r->g, 8) == 0)
		return leaf(r);
	n = node(r, ONE(r->g, kinds));
	n->a = tree(r, depth - 1);
	if (n->kind == UNARY) {
		n->op = &unaries[pick(r->g, 4)];
		type_unary(n);
	} else if (n->kind == CAST) {
		n->source = pick(r->g, NTYPES);
		type_cast(n);
	} else if (n->kind == BINARY) {
		n->op = ONE(r->g, binaries);
		n->b = strchr("/%", n->op[0]) ? divisor(r, depth - 1) : tree(r, depth - 1);
		type_binary(n);
	} else {
		n->b = tree(r, depth - 1);
		n->c = tree(r, depth - 1);
		n->type = common(n->b->type, n->c->type);
		n->value = n->a->value ? n->b->value : n->c->value;
	}
	return n;
}

/* ---- D ---- */

static void write_leaf(struct rule *r, const struct node *n, enum form form)
{
	if (leaf_known(n, form))
		put(r->g, "(%s)0x%" PRIx64 "ull", type_names[n->source], n->value);
	else
		put(r->g, places[r->place[n->source]], "s", n->source);
}

static void write(struct rule *r, const struct node *n, enum form form)
{
	put(r->g, "(");
	switch (n->kind) {
	case LEAF: write_leaf(r, n, form); break;
	case UNARY: put(r->g, "%c", n->op[0]); write(r, n->a, form); break;
	case CAST: put(r->g, "(%s)", type_names[n->source]); write(r, n->a, form); break;
	case BINARY: write(r, n->a, form); put(r->g, " %s ", n->op); write(r, n->b, form); break;
	case COND:
		write(r, n->a, form);
		put(r->g, " ? ");
		write(r, n->b, form);
		put(r->g, " : ");
		write(r, n->c, form);
		break;
	}
	put(r->g, ")");
}

/* Ends a check that began with open_check(): what stands between must have the value. */
static void open_check(struct rule *r) { put(r->g, "broken |= (uint64_t)(0ULL + ("); }

static void close_check(struct rule *r, uint64_t must_be)
{
	put(r->g, ") != 0x%" PRIx64 "ull) << %u; ", must_be, r->bits++);
}

/* The size and the sign are checked too; beside 0, which is an int, what is narrower counts as signed. */
static void expression(struct rule *r)
{
	struct node *n;

	r->used = 0;
	n = tree(r, DEPTH);
	for (enum form form = FOLDED; form <= MIXED; form++) {
		open_check(r);
		write(r, n, form);
		close_check(r, n->value);
		open_check(r);
		put(r->g, "sizeof (");
		write(r, n, form);
		put(r->g, ") * 2 + (");
		write(r, n, form);
		put(r->g, " * 0 - (int8_t)1 < 0)");
		close_check(r, n->type.bits / 4 + (n->type.is_signed || n->type.bits < 32));
	}
}

/* What the variable holds, and the value of the assignment itself. */
static void assignment(struct rule *r, enum form form)
{
	unsigned to = pick(r->g, NTYPES), place = pick(r->g, NPLACES);
	struct node *n;
	uint64_t v;

	r->used = 0;
	n = tree(r, DEPTH - 1);
	v = constant(n, form) ? cut(n->value, type_of(to)) : n->value;
	open_check(r);
	put(r->g, places[place], "t", to);
	put(r->g, " = ");
	write(r, n, form);
	close_check(r, v);
	if (pick(r->g, 2)) {
		put(r->g, places[place], "t", to);
		put(r->g, " += ");
		write(r, n, form);
		put(r->g, "; ");
		v += n->value;
	} else {
		put(r->g, "++");
		put(r->g, places[place], "t", to);
		put(r->g, "; ");
		v++;
	}
	open_check(r);
	put(r->g, places[place], "t", to);
	close_check(r, v);
}

void gen_integer_clause(struct gen *g)
{
	struct rule r = { .g = g };

	put(g, "BEGIN { ");
	for (unsigned i = 0; i < NTYPES; i++) {
		r.value[i] = random_value(g, type_of(i));
		r.place[i] = pick(g, NPLACES);
		put(g, places[r.place[i]], "s", i);
		put(g, " = (%s)0x%" PRIx64 "ull; ", type_names[i], r.value[i]);
	}
	expression(&r);
	expression(&r);
	for (unsigned i = 0; i < 6; i++)
		assignment(&r, (enum form)(i % 3));
	put(g, "}\nBEGIN /broken/ { trace(\"" GEN_BROKEN "\"); trace(broken); }\n");
}
