/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constant folding: typed operators on integer constants come in, constants go out. Values have 64 bits
 * whatever their type, and only a cast narrows them. Arithmetic is two's complement and wraps; shifts
 * use the low six bits of their count, as the executors of DIF do at run time.
 */
#include "sema/sema.h"

bool dt_node_is_const(const struct dt_node *n)
{
	return n->kind == DT_N_INT;
}

/* (T *)0 is null as well. */
bool dt_node_is_null(const struct dt_node *n)
{
	while (n->kind == DT_N_CAST && n->a != NULL && dt_type_is_pointer(n->type))
		n = n->a;
	return n->kind == DT_N_INT && n->value == 0;
}

int64_t dt_node_int(const struct dt_node *n)
{
	return (int64_t)n->value;
}

/* The value as an object of the type holds it, widened to 64 bits again. */
uint64_t dt_fold_narrow(struct dt_sema *s, uint64_t v, const struct dt_type *type)
{
	const struct dt_type *b = dt_type_base(type);
	unsigned bits;

	(void)s;
	if (b->kind != DT_T_INT && b->kind != DT_T_ENUM)
		return v;
	if (b->is_bool)
		return v != 0;
	bits = (unsigned)b->size * 8;
	if (bits == 0 || bits >= 64)
		return v;
	v <<= 64 - bits;
	return b->is_signed ? (uint64_t)((int64_t)v >> (64 - bits)) : v >> (64 - bits);
}

/*
 * The value of a cast. If the operand is signed and narrower, only its own bits count, as in the code
 * for values that are not constant (dt_cg_cast()).
 */
uint64_t dt_fold_cast(struct dt_sema *s, const struct dt_node *n, const struct dt_type *to)
{
	const struct dt_type *from = dt_type_base(n->type);
	uint64_t v = n->value;

	if (dt_type_is_integer(from) && dt_type_is_signed(from) && from->size < dt_type_base(to)->size)
		v = dt_fold_narrow(s, v, from);
	return dt_fold_narrow(s, v, to);
}

/* The caller has refused b == 0. */
static uint64_t fold_divide(uint64_t a, uint64_t b, bool is_signed, bool rem)
{
	if (!is_signed)
		return rem ? a % b : a / b;
	if (b == UINT64_MAX)	/* -1: INT64_MIN / -1 would trap */
		return rem ? 0 : -a;
	return (uint64_t)(rem ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static bool fold_compare(unsigned op, uint64_t a, uint64_t b, bool is_signed)
{
	bool lt = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case DT_OP_EQ: return a == b;
	case DT_OP_NE: return a != b;
	case DT_OP_LT: return lt;
	case DT_OP_LE: return lt || a == b;
	case DT_OP_GT: return !lt && a != b;
	default: return !lt;
	}
}

static uint64_t fold_arith(unsigned op, uint64_t a, uint64_t b, bool is_signed)
{
	switch (op) {
	case DT_OP_ADD: return a + b;
	case DT_OP_SUB: return a - b;
	case DT_OP_MUL: return a * b;
	case DT_OP_DIV: return fold_divide(a, b, is_signed, false);
	case DT_OP_MOD: return fold_divide(a, b, is_signed, true);
	case DT_OP_SHL: return a << (b & 63);
	case DT_OP_SHR: return is_signed ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63);
	case DT_OP_AND: return a & b;
	case DT_OP_OR: return a | b;
	case DT_OP_XOR: return a ^ b;
	case DT_OP_LAND: return a && b;
	case DT_OP_LOR: return a || b;
	default: return !a != !b;	/* ^^ */
	}
}

static struct dt_node *become_int(struct dt_sema *s, struct dt_node *n, uint64_t v)
{
	return dt_expr_int(s, n->loc, v, n->type);
}

/*
 * Text compared with no text: `$$1 == ""` in a predicate costs nothing where $$1 is known. Other texts are
 * compared when the program runs, as far as strsize goes.
 */
static bool folds_text(const struct dt_node *n)
{
	const struct dt_node *a = n->a, *b = n->b;

	return a->kind == DT_N_STR && b->kind == DT_N_STR && (a->str[0] == '\0' || b->str[0] == '\0');
}

struct dt_node *dt_fold_text(struct dt_sema *s, struct dt_node *n)
{
	int order;

	if (!folds_text(n))
		return n;
	order = (n->a->str[0] != '\0') - (n->b->str[0] != '\0');
	return become_int(s, n, fold_compare(n->op, (uint64_t)order, 0, true));
}

/*
 * n->a, n->b and n->type are set. && and
 * fold on a constant left side alone, because the right side is then never evaluated.
 */
struct dt_node *dt_fold_binary(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_node *a = n->a, *b = n->b;
	bool is_signed;

	if ((n->op == DT_OP_LAND && dt_node_is_null(a)) ||
	    (n->op == DT_OP_LOR && dt_node_is_const(a) && a->value != 0))
		return become_int(s, n, n->op == DT_OP_LOR);
	if (!dt_node_is_const(a) || !dt_node_is_const(b) || !dt_type_is_scalar(n->type))
		return n;
	if (dt_type_is_pointer(a->type) || dt_type_is_pointer(b->type))
		return n;
	if (n->op >= DT_OP_EQ && n->op <= DT_OP_GE) {
		is_signed = dt_type_is_signed(dt_compat_arith(s, a->type, b->type));
		return become_int(s, n, fold_compare(n->op, a->value, b->value, is_signed));
	}
	return become_int(s, n, fold_arith(n->op, a->value, b->value, dt_type_is_signed(n->type)));
}

struct dt_node *dt_fold_unary(struct dt_sema *s, struct dt_node *n)
{
	uint64_t v;

	if (!dt_node_is_const(n->a) || dt_type_is_pointer(n->a->type))
		return n;
	v = n->a->value;
	switch (n->op) {
	case DT_OP_NEG: return become_int(s, n, -v);
	case DT_OP_PLUS: return become_int(s, n, v);
	case DT_OP_BITNOT: return become_int(s, n, ~v);
	case DT_OP_NOT: return become_int(s, n, !v);
	default: return n;
	}
}
