/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types unary operators: arithmetic, !, *, &, ++ and --. An untyped node comes in, the typed
 * replacement goes out.
 */
#include "sema/sema.h"

static const struct dt_type *int64_type(struct dt_sema *s)
{
	return dt_types_find(s->types, NULL, DT_T_TYPEDEF, "int64_t");
}

/*
 * A unary operator gives int64_t to a variable without a type, so /!self->seen/ may come before the
 * assignment. This works only where the name alone says what it is (self->, this->, x[keys]); a plain
 * global must be known.
 */
struct dt_node *dt_expr_named(struct dt_sema *s, struct dt_node *n)
{
	if (!dt_expr_untyped(s, n))
		return dt_expr(s, n);
	n->type = n->ident->type = int64_type(s);
	return n;
}

static struct dt_node *unary_arith(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_operand(s, dt_expr_named(s, n->a));
	if (!dt_type_is_integer(n->a->type))
		dt_fail(s->diag, n->op == DT_OP_BITNOT ? D_OP_INT : D_OP_ARITH, n->loc,
		    "operator %s requires an operand of %s type, not %s", dt_op_text(n->op),
		    n->op == DT_OP_BITNOT ? "integral" : "arithmetic", dt_type_str(s->arena, n->a->type));
	n->type = dt_compat_promote(s, n->a->type);
	return dt_fold_unary(s, n);
}

static struct dt_node *unary_not(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_value(s, dt_expr_named(s, n->a));
	if (!dt_type_is_scalar(n->a->type))
		dt_fail(s->diag, D_OP_SCALAR, n->loc, "operator ! requires an operand of scalar type, not %s",
		    dt_type_str(s->arena, n->a->type));
	n->type = dt_types_basic(s->types, "int");
	return dt_fold_unary(s, n);
}

static struct dt_node *unary_deref(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *base, *to;

	n->a = dt_expr_named(s, n->a);
	base = dt_type_base(n->a->type);
	/* *xlate<T *>(…) is the translated object itself */
	if (n->a->kind == DT_N_XLATE && base->kind == DT_T_PTR)
		n->a->type = base->ref;
	if (n->a->kind == DT_N_XLATE)
		return n->a;
	if (base->kind != DT_T_PTR && base->kind != DT_T_ARRAY)
		dt_fail(s->diag, D_DEREF_NONPTR, n->loc,
		    "cannot dereference a value of type %s: it is not a pointer",
		    dt_type_str(s->arena, n->a->type));
	to = dt_type_base(base->ref);
	if (to->kind == DT_T_VOID)
		dt_fail_hint(s->diag, D_DEREF_VOID, n->loc, "cast it to the type it points to first",
		    "cannot dereference pointer to void");
	if (to->kind == DT_T_FUNC)
		dt_fail(s->diag, D_DEREF_FUNC, n->loc, "cannot dereference pointer to function");
	n->type = base->ref;
	n->nflags = DT_NF_LVAL | (n->a->nflags & (DT_NF_USER | DT_NF_ALLOCA));
	if (base->user)
		n->nflags |= DT_NF_USER;
	/*
	 * Only memory of D itself can be written; casts are the program's own risk and fault at run
	 * time.
	 */
	if ((n->nflags & DT_NF_ALLOCA) || n->a->kind == DT_N_CAST || (n->a->nflags & DT_NF_WRITABLE))
		n->nflags |= DT_NF_WRITABLE;
	dt_expr_object(s, n);
	return n;
}

/* D variables have no address: only kernel symbols, members and elements do. */
static struct dt_node *unary_addr(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *a = n->a;

	if (a->kind == DT_N_AGG || (a->kind == DT_N_INDEX && a->a->kind == DT_N_AGG))
		dt_fail(s->diag, D_ADDROF_VAR, n->loc, "cannot take the address of an aggregation");
	n->a = a = dt_expr_named(s, a);
	if (a->nflags & DT_NF_BITFIELD)
		dt_fail(s->diag, D_ADDROF_BITFIELD, n->loc, "cannot take the address of a bit-field");
	if (a->ident != NULL && a->kind != DT_N_SYM && a->kind != DT_N_CALL)
		dt_fail(s->diag, D_ADDROF_VAR, n->loc, "cannot take address of dynamic variable: %s",
		    dt_names_spelled(s, a->ident));
	if (!(a->nflags & DT_NF_LVAL))
		dt_fail(s->diag, D_ADDROF_LVAL, n->loc, "operator & needs an object in memory");
	n->type = dt_type_ptr(s->types, a->type);
	n->nflags = a->nflags & (DT_NF_USER | DT_NF_ALLOCA | DT_NF_WRITABLE);
	return n;
}

static struct dt_node *unary_step(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_lvalue(s, n->a, true);
	if (n->a->type == NULL)		/* created by ++: a counter */
		n->a->ident->type = n->a->type = int64_type(s);
	if (!dt_type_is_scalar(n->a->type))
		dt_fail(s->diag, D_OP_SCALAR, n->loc,
		    "operator %s requires an operand of scalar type, not %s", dt_op_text(n->op),
		    dt_type_str(s->arena, n->a->type));
	if (dt_type_is_pointer(n->a->type)) {
		const struct dt_type *to = dt_type_base(n->a->type)->ref;

		if (dt_type_size(s->types, to) == 0)
			dt_fail(s->diag, D_OP_VFPTR, n->loc,
			    "operator %s cannot be applied to a pointer to %s", dt_op_text(n->op),
			    dt_type_str(s->arena, to));
	}
	n->type = n->a->type;
	return n;
}

struct dt_node *dt_expr_unary(struct dt_sema *s, struct dt_node *n)
{
	switch (n->op) {
	case DT_OP_NOT:
		return unary_not(s, n);
	case DT_OP_DEREF:
		return unary_deref(s, n);
	case DT_OP_ADDR:
		return unary_addr(s, n);
	case DT_OP_NEG: case DT_OP_PLUS: case DT_OP_BITNOT:
		return unary_arith(s, n);
	default:
		return unary_step(s, n);
	}
}
