/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: a typed tree comes in, a register with its value goes out. Constants, variables,
 * arithmetic, casts and ?: are here; the other kinds are called from here.
 */
#include "codegen/impl.h"

void dt_cg_emit(struct dt_cg *cg, unsigned op, unsigned r1, unsigned r2, unsigned rd)
{
	dt_asm_emit(cg->as, dt_dif_fmt(op, r1, r2, rd));
}

/* Every variable that an instruction names must be in the DIFO's variable table. */
void dt_cg_var(struct dt_cg *cg, const struct dt_ident *id, unsigned flags)
{
	struct dt_difv v = dt_ident_difv(cg->types, id, flags);

	if (v.type.kind == DT_DT_STRING && cg->opts->strsize)
		v.type.size = cg->opts->strsize;
	dt_asm_var(cg->as, &v);
}

void dt_cg_scalar(struct dt_cg *cg, const struct dt_ident *id, bool store, unsigned reg)
{
	static const uint8_t op[][2] = {
		[DT_SCOPE_GLOBAL] = { DT_DIF_LDGS, DT_DIF_STGS },
		[DT_SCOPE_THREAD] = { DT_DIF_LDTS, DT_DIF_STTS },
		[DT_SCOPE_CLAUSE] = { DT_DIF_LDLS, DT_DIF_STLS },
	};

	dt_asm_emit(cg->as, dt_dif_fmt16(op[id->scope][store], id->id, reg));
	dt_cg_var(cg, id, store ? DT_DIFV_MOD : DT_DIFV_REF);
}

/* ---- conversions ---- */

/* Shifts left and right again, so 64 and 0 bits need no code. */
void dt_cg_narrow(struct dt_cg *cg, unsigned reg, unsigned bits, bool is_signed)
{
	if (bits >= 64 || bits == 0)
		return;
	unsigned t = dt_cg_alloc(cg);
	dt_asm_setx(cg->as, 64 - bits, t);
	dt_cg_emit(cg, DT_DIF_SLL, reg, t, reg);
	dt_cg_emit(cg, is_signed ? DT_DIF_SRA : DT_DIF_SRL, reg, t, reg);
	dt_cg_free(cg, t);
}

/* Skips casts that keep all the bits `to` needs: (char)(int)x is (char)x. */
static const struct dt_node *uncast(const struct dt_node *n, struct dt_cg_width to)
{
	while (!to.is_bool && n->kind == DT_N_CAST && !(n->nflags & DT_NF_WHOLE) && n->a->kind != DT_N_INT) {
		struct dt_cg_width w = dt_cg_width(n->type);

		if (w.is_bool || w.bits < to.bits)
			break;
		n = n->a;
	}
	return n;
}

/*
 * A cast yields a value of its type. If the operand is signed and narrower, only its own bits count:
 * (long)x of an int x that holds more is what an int can hold of it.
 */
static unsigned cast_value(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_width to = dt_cg_width(n->type);
	const struct dt_node *a = n->nflags & DT_NF_WHOLE ? n->a : uncast(n->a, to);
	struct dt_cg_width from = dt_cg_width(a->type);
	bool exact = dt_cg_exact(cg, a);
	unsigned r = dt_cg_node(cg, a);

	dt_asm_at(cg->as, n->loc);
	if (n->nflags & DT_NF_WHOLE || !dt_type_is_scalar(n->type))
		return r;
	if (to.is_bool) {
		if (!dt_cg_is_truth(a) && !(from.is_bool && exact))
			dt_cg_normalise(cg, r);
		return r;
	}
	if (!exact && from.is_signed && from.bits < to.bits) {
		dt_cg_narrow(cg, r, from.bits, true);
		exact = true;
	}
	if (!exact || !dt_cg_fits(from, to))
		dt_cg_narrow(cg, r, to.bits, to.is_signed);
	return r;
}

static unsigned integer_constant(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned r = dt_cg_alloc(cg);

	dt_asm_setx(cg->as, n->value, r);
	return r;
}

/* ---- two operands ---- */

/*
 * Evaluates the left operand first, as D programs expect. Only if registers are short, and no side
 * effect would notice, the right one goes first or a temporary is used.
 */
void dt_cg_both(struct dt_cg *cg, const struct dt_node *a, const struct dt_node *b, unsigned *ra,
    unsigned *rb)
{
	unsigned nfree = dt_cg_nfree(cg), na = dt_cg_need(cg, a), nb = dt_cg_need(cg, b);
	bool left_fits = na <= nfree && nb < nfree;
	bool ordered = (dt_cg_effects(cg, a) && !dt_cg_is_const(b)) ||
	    (dt_cg_effects(cg, b) && !dt_cg_is_const(a));

	if (!left_fits && !ordered && nb <= nfree && na < nfree) {
		*rb = dt_cg_node(cg, b);
		*ra = dt_cg_node(cg, a);
		return;
	}
	struct dt_cg_held held;
	dt_cg_hold(&held, a, dt_cg_node(cg, a));
	dt_cg_room(cg, &held, 1, nb);
	*rb = dt_cg_node(cg, b);
	*ra = dt_cg_unhold(cg, &held);
}

/* ---- arithmetic ---- */

static bool is_addr(const struct dt_type *t)
{
	return t && (dt_type_is_pointer(t) || dt_type_is_string(t));
}

/* Multiplies or divides by the size of an element; size 1 needs no code. */
static void scale_by_size(struct dt_cg *cg, uint64_t size, unsigned op, unsigned reg)
{
	if (size == 1)
		return;
	unsigned t = dt_cg_alloc(cg);
	dt_asm_setx(cg->as, size, t);
	dt_cg_emit(cg, op, reg, t, reg);
	dt_cg_free(cg, t);
}

static unsigned arith_op(enum dt_op op, bool is_signed)
{
	static const uint8_t ops[][2] = {
		[DT_OP_ADD] = { DT_DIF_ADD, DT_DIF_ADD }, [DT_OP_SUB] = { DT_DIF_SUB, DT_DIF_SUB },
		[DT_OP_MUL] = { DT_DIF_MUL, DT_DIF_MUL }, [DT_OP_DIV] = { DT_DIF_UDIV, DT_DIF_SDIV },
		[DT_OP_MOD] = { DT_DIF_UREM, DT_DIF_SREM }, [DT_OP_SHL] = { DT_DIF_SLL, DT_DIF_SLL },
		[DT_OP_SHR] = { DT_DIF_SRL, DT_DIF_SRA }, [DT_OP_AND] = { DT_DIF_AND, DT_DIF_AND },
		[DT_OP_OR] = { DT_DIF_OR, DT_DIF_OR }, [DT_OP_XOR] = { DT_DIF_XOR, DT_DIF_XOR },
	};

	return ops[op][is_signed];
}

void dt_cg_arith(struct dt_cg *cg, bool is_signed, enum dt_op op, const struct dt_node *a,
    const struct dt_node *b, unsigned ra, unsigned rb)
{
	bool addsub = op == DT_OP_ADD || op == DT_OP_SUB;

	if (addsub && is_addr(a->type) && !is_addr(b->type))
		scale_by_size(cg, dt_cg_elem_size(cg, a->type), DT_DIF_MUL, rb);
	else if (addsub && is_addr(b->type) && !is_addr(a->type))
		scale_by_size(cg, dt_cg_elem_size(cg, b->type), DT_DIF_MUL, ra);
	dt_cg_emit(cg, arith_op(op, is_signed), ra, rb, ra);
	if (op == DT_OP_SUB && is_addr(a->type) && is_addr(b->type))
		scale_by_size(cg, dt_cg_elem_size(cg, a->type), DT_DIF_SDIV, ra);
}

/* p + 3: the scaled constant is computed here instead of by the program. True: *result is the value. */
static bool scaled_const(struct dt_cg *cg, const struct dt_node *n, unsigned *result)
{
	if ((n->op != DT_OP_ADD && n->op != DT_OP_SUB) || !is_addr(n->a->type) || n->b->kind != DT_N_INT ||
	    !is_addr(n->type))
		return false;
	unsigned r = dt_cg_node(cg, n->a);
	uint64_t v = n->b->value * dt_cg_elem_size(cg, n->a->type);
	dt_asm_at(cg->as, n->loc);
	dt_cg_offset(cg, r, n->op == DT_OP_ADD ? v : -v);
	*result = r;
	return true;
}

static unsigned logical_xor(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned ra, rb;

	dt_cg_both(cg, n->a, n->b, &ra, &rb);
	dt_asm_at(cg->as, n->loc);
	if (!dt_cg_is_truth(n->a))
		dt_cg_normalise(cg, ra);
	if (!dt_cg_is_truth(n->b))
		dt_cg_normalise(cg, rb);
	dt_cg_emit(cg, DT_DIF_XOR, ra, rb, ra);
	dt_cg_free(cg, rb);
	return ra;
}

static unsigned binary_value(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned ra, rb;

	if (n->op == DT_OP_LXOR)
		return logical_xor(cg, n);
	if (n->op >= DT_OP_EQ && n->op <= DT_OP_LXOR)
		return dt_cg_truth(cg, n);
	if (scaled_const(cg, n, &ra))
		return ra;
	dt_cg_both(cg, n->a, n->b, &ra, &rb);
	dt_asm_at(cg->as, n->loc);
	dt_cg_arith(cg, dt_cg_width(n->type).is_signed, n->op, n->a, n->b, ra, rb);
	dt_cg_free(cg, rb);
	return ra;
}

static unsigned negate(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned r = dt_cg_node(cg, n->a);

	dt_asm_at(cg->as, n->loc);
	dt_cg_emit(cg, DT_DIF_SUB, 0, r, r);
	return r;
}

static unsigned complement(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned r = dt_cg_node(cg, n->a);

	dt_asm_at(cg->as, n->loc);
	dt_cg_emit(cg, DT_DIF_NOT, r, 0, r);
	return r;
}

static unsigned unary_value(struct dt_cg *cg, const struct dt_node *n)
{
	switch (n->op) {
	case DT_OP_NEG:
		return negate(cg, n);
	case DT_OP_PLUS:
		return dt_cg_node(cg, n->a);
	case DT_OP_BITNOT:
		return complement(cg, n);
	case DT_OP_NOT:
		return dt_cg_truth(cg, n);
	case DT_OP_DEREF:
		return dt_cg_memory(cg, n);
	case DT_OP_ADDR:
		return dt_cg_address(cg, n->a);
	default:
		return dt_cg_incdec(cg, n);
	}
}

/* ---- the rest ---- */

/* The value of an arm, in `rd` unless that is -1: both arms must end in the same register. */
static unsigned cond_arm(struct dt_cg *cg, const struct dt_node *n, int rd)
{
	unsigned r = dt_cg_node(cg, n);

	if (rd >= 0 && r != (unsigned)rd) {
		dt_cg_emit(cg, DT_DIF_MOV, r, 0, (unsigned)rd);
		dt_cg_free(cg, r);
		r = (unsigned)rd;
		dt_cg_take(cg, r);
	}
	return r;
}

static unsigned cond_value(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned other = dt_asm_label(cg->as), end = dt_asm_label(cg->as);

	dt_cg_branch_if(cg, n->a, false, other);
	unsigned r = cond_arm(cg, n->b, -1);
	dt_asm_at(cg->as, n->loc);
	dt_asm_branch(cg->as, DT_DIF_BA, end);
	dt_asm_place(cg->as, other);
	dt_cg_free(cg, r);
	r = cond_arm(cg, n->c, (int)r);
	dt_asm_place(cg->as, end);
	return r;
}

static unsigned comma_value(struct dt_cg *cg, const struct dt_node *n)
{
	dt_cg_free(cg, dt_cg_node(cg, n->a));
	return dt_cg_node(cg, n->b);
}

static unsigned string_constant(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned r = dt_cg_alloc(cg);

	dt_asm_sets(cg->as, n->str ? n->str : "", n->slen, r);
	return r;
}

static unsigned variable_value(struct dt_cg *cg, const struct dt_node *n)
{
	const struct dt_ident *id = n->ident;

	if (!id || id->kind != DT_ID_SCALAR || id->scope > DT_SCOPE_CLAUSE)
		dt_fail(cg->opts->diag, D_CG_EXPR, n->loc, "%s may not be used as a value",
		    n->name ? n->name : "name");
	if (dt_cg_may_lack(n))
		return dt_cg_object(cg, n, NULL);
	unsigned r = dt_cg_alloc(cg);
	dt_cg_scalar(cg, id, false, r);
	return r;
}

unsigned dt_cg_node(struct dt_cg *cg, const struct dt_node *n)
{
	if (n->type && dt_type_base(n->type)->kind == DT_T_DYN)
		dt_fail(cg->opts->diag, D_CG_DYN, n->loc,
		    "expression cannot evaluate to a translated or dynamic object");
	dt_asm_at(cg->as, n->loc);
	cg->loc = n->loc;
	switch (n->kind) {
	case DT_N_INT:
		return integer_constant(cg, n);
	case DT_N_STR:
		return string_constant(cg, n);
	case DT_N_IDENT:
	case DT_N_VAR:
		return variable_value(cg, n);
	case DT_N_INDEX:
		return dt_cg_index(cg, n);
	case DT_N_CALL:
		return dt_cg_call(cg, n);
	case DT_N_SYM:
	case DT_N_MEMBER:
		return dt_cg_memory(cg, n);
	case DT_N_UNARY:
		return unary_value(cg, n);
	case DT_N_BINARY:
		return binary_value(cg, n);
	case DT_N_ASSIGN:
		return dt_cg_assign(cg, n);
	case DT_N_COND:
		return cond_value(cg, n);
	case DT_N_COMMA:
		return comma_value(cg, n);
	case DT_N_CAST:
		return cast_value(cg, n);
	case DT_N_STRINGOF:
		return dt_cg_node(cg, n->a);
	case DT_N_XSTRUCT:
		return dt_cg_xstruct(cg, n);
	default:
		dt_fail(cg->opts->diag, D_CG_EXPR, n->loc, "expression has no value");
	}
}
