/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types binary operators and ?:. Operands keep their own types: all arithmetic has 64 bits, and the
 * type of the result decides the sign.
 */
#include "sema/sema.h"

static const struct dt_type *int_type(struct dt_sema *s)
{
	return dt_types_basic(s->types, "int");
}

/* A hint for people who use strings as in another language. */
static const char *string_hint(const struct dt_node *n)
{
	bool a = dt_type_is_string(n->a->type), b = dt_type_is_string(n->b->type);

	if (a && b)
		return n->op == DT_OP_ADD ? "strjoin(a, b) joins strings" : NULL;
	if ((a && (n->b->suffix & DT_INT_CHAR)) || (b && (n->a->suffix & DT_INT_CHAR)))
		return "strings are written in double quotes";
	return NULL;
}

_Noreturn static void refuse_operands(struct dt_sema *s, const struct dt_node *n)
{
	dt_fail_hint(s->diag, D_OP_INCOMPAT, n->loc, string_hint(n),
	    "operands have incompatible types: \"%s\" %s \"%s\"", dt_type_str(s->arena, n->a->type),
	    dt_op_text(n->op), dt_type_str(s->arena, n->b->type));
}

/* * / % & | ^ on integers. */
static struct dt_node *binary_arith(struct dt_sema *s, struct dt_node *n)
{
	bool strict = n->op != DT_OP_MUL && n->op != DT_OP_DIV;

	if (!dt_type_is_integer(n->a->type) || !dt_type_is_integer(n->b->type))
		dt_fail(s->diag, strict ? D_OP_INT : D_OP_ARITH, n->loc,
		    "operator %s requires operands of %s type: \"%s\" %s \"%s\"", dt_op_text(n->op),
		    strict ? "integral" : "arithmetic", dt_type_str(s->arena, n->a->type), dt_op_text(n->op),
		    dt_type_str(s->arena, n->b->type));
	if ((n->op == DT_OP_DIV || n->op == DT_OP_MOD) && dt_node_is_null(n->b))
		dt_fail(s->diag, D_DIV_ZERO, n->b->loc, "expression contains division by zero");
	n->type = dt_compat_arith(s, n->a->type, n->b->type);
	return dt_fold_binary(s, n);
}

/* The result has the promoted type of the left operand; the right one only counts. */
static struct dt_node *binary_shift(struct dt_sema *s, struct dt_node *n)
{
	if (!dt_type_is_integer(n->a->type) || !dt_type_is_integer(n->b->type))
		dt_fail(s->diag, D_OP_INT, n->loc,
		    "operator %s requires operands of integral type: \"%s\" %s \"%s\"", dt_op_text(n->op),
		    dt_type_str(s->arena, n->a->type), dt_op_text(n->op), dt_type_str(s->arena, n->b->type));
	n->type = dt_compat_promote(s, n->a->type);
	return dt_fold_binary(s, n);
}

/*
 * The pointer type that steps over what a pointer, array or string points to. Fails for void, functions
 * and incomplete types, which have no size to step by.
 */
static const struct dt_type *stepped_type(struct dt_sema *s, struct dt_node *n, struct dt_node *ptr)
{
	const struct dt_type *b = dt_type_base(ptr->type), *to;

	if (b->kind == DT_T_STRING)
		return dt_type_ptr(s->types, dt_types_basic(s->types, "char"));
	to = dt_type_base(b->ref);
	if (to->kind == DT_T_VOID || to->kind == DT_T_FUNC)
		dt_fail_hint(s->diag, D_OP_INCOMPAT, n->loc,
		    to->kind == DT_T_VOID ? "cast it to the type it points to first" : NULL,
		    "operands have incompatible types: \"%s\" %s \"%s\"", dt_type_str(s->arena, n->a->type),
		    dt_op_text(n->op), dt_type_str(s->arena, n->b->type));
	if (dt_type_size(s->types, to) == 0)
		dt_fail(s->diag, D_OP_INCOMPLETE, n->loc, "operator %s: the size of %s is not known",
		    dt_op_text(n->op), dt_type_str(s->arena, to));
	return b->kind == DT_T_ARRAY ? dt_type_ptr(s->types, b->ref) : ptr->type;
}

/* Strings are stepped over by characters, as arrays of char are. */
static bool steppable(const struct dt_type *t)
{
	return dt_type_is_pointer(t) || dt_type_is_string(t);
}

/* p + i and i + p. The flags of the pointer go with the sum: it leads to the same memory. */
static struct dt_node *pointer_step(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *ptr = steppable(n->a->type) ? n->a : n->b;
	struct dt_node *num = ptr == n->a ? n->b : n->a;

	n->type = stepped_type(s, n, ptr);
	if (dt_node_is_const(num))	/* fold the widening of the offset */
		num->type = dt_types_basic(s->types, "long");
	n->nflags = ptr->nflags & (DT_NF_USER | DT_NF_ALLOCA | DT_NF_WRITABLE);
	/* A cast pointer may be written through, so its neighbours may be too. */
	if (ptr->kind == DT_N_CAST)
		n->nflags |= DT_NF_WRITABLE;
	if (ptr != n->a) {	/* the code generator finds the pointer on the left */
		n->a = ptr;
		n->b = num;
	}
	return n;
}

/* The operands must point to compatible types; the code generator divides by the size. */
static struct dt_node *pointer_diff(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *result;

	stepped_type(s, n, n->a);
	if (!dt_compat_ptr(s, n->a, n->b, &result))
		refuse_operands(s, n);
	n->type = dt_types_find(s->types, NULL, DT_T_TYPEDEF, "ptrdiff_t");
	return n;
}

/* Integers, a pointer and an integer, or two pointers to be subtracted; strings have no difference. */
static struct dt_node *binary_addsub(struct dt_sema *s, struct dt_node *n)
{
	bool pa = steppable(n->a->type), pb = steppable(n->b->type);

	if (dt_type_is_integer(n->a->type) && dt_type_is_integer(n->b->type)) {
		n->type = dt_compat_arith(s, n->a->type, n->b->type);
		return dt_fold_binary(s, n);
	}
	if (pa && dt_type_is_integer(n->b->type))
		return pointer_step(s, n);
	if (pb && n->op == DT_OP_ADD && dt_type_is_integer(n->a->type))
		return pointer_step(s, n);
	if (pa && pb && n->op == DT_OP_SUB && !dt_type_is_string(n->a->type))
		return pointer_diff(s, n);
	refuse_operands(s, n);
}

/* Strings are compared as text if one side is a string and the other can be read as one. */
static bool both_strings(const struct dt_node *a, const struct dt_node *b)
{
	return (dt_type_is_string(a->type) || dt_type_is_string(b->type)) && dt_type_is_stringlike(a->type) &&
	    dt_type_is_stringlike(b->type);
}

/* Text with text, numbers with numbers, pointers with pointers or NULL. The result is an int. */
static struct dt_node *binary_compare(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *result;

	n->type = int_type(s);
	if (both_strings(n->a, n->b))
		return dt_fold_text(s, n);
	if (dt_type_is_integer(n->a->type) && dt_type_is_integer(n->b->type))
		return dt_fold_binary(s, n);
	if (dt_type_is_string(n->a->type) && dt_node_is_null(n->b)) {
		/* execname == NULL asks whether there is a string at all */
		n->b = dt_expr_convert(s, n->b, dt_types_basic(s->types, "long"));
		return n;
	}
	if (dt_compat_ptr(s, n->a, n->b, &result))
		return n;
	/*
	 * A pointer compared with an address in an integer of the same size: scripts do this with arg0.
	 */
	if (dt_type_is_scalar(n->a->type) && dt_type_is_scalar(n->b->type) &&
	    (dt_type_is_integer(n->a->type) || dt_type_is_integer(n->b->type)) &&
	    dt_type_size(s->types, n->a->type) == dt_type_size(s->types, n->b->type))
		return n;
	refuse_operands(s, n);
}

static struct dt_node *binary_logical(struct dt_sema *s, struct dt_node *n)
{
	if (!dt_type_is_scalar(n->a->type) || !dt_type_is_scalar(n->b->type))
		dt_fail(s->diag, D_OP_SCALAR, n->loc,
		    "operator %s requires operands of scalar type: \"%s\" %s \"%s\"", dt_op_text(n->op),
		    dt_type_str(s->arena, n->a->type), dt_op_text(n->op), dt_type_str(s->arena, n->b->type));
	n->type = int_type(s);
	return dt_fold_binary(s, n);
}

/* On the right of an enum, or in a cast to one, a bare name may be one of the enum's constants. */
struct dt_node *dt_expr_enumerator(struct dt_sema *s, const struct dt_type *left, struct dt_node *b)
{
	const struct dt_type *base = dt_type_base(left);
	const struct dt_enumconst *e;
	uint32_t n;

	if (base->kind != DT_T_ENUM || b->kind != DT_N_IDENT || strchr(b->name, '`') != NULL)
		return dt_expr(s, b);
	e = dt_type_enums(s->types, base, &n);
	for (uint32_t i = 0; i < n; i++) {
		struct dt_ident *id;

		if (e[i].name == NULL || strcmp(e[i].name, b->name) != 0)
			continue;
		id = dt_names_peek(s, b->name);
		if (id != NULL && !(id->kind == DT_ID_ENUM && id->value == (uint64_t)e[i].value))
			dt_fail(s->diag, D_IDENT_AMBIG, b->loc,
			    "ambiguous use of operator: %s is both an enumerator of %s and a global name",
			    b->name, dt_type_str(s->arena, left));
		return dt_expr_int(s, b->loc, (uint64_t)e[i].value, left);
	}
	return dt_expr(s, b);
}

static bool is_compare(unsigned op)
{
	return op >= DT_OP_EQ && op <= DT_OP_GE;
}

/* The left side is typed first: for a comparison it may say what a name on the right means. */
struct dt_node *dt_expr_binary(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_value(s, dt_expr(s, n->a));
	n->b = is_compare(n->op) ? dt_expr_enumerator(s, n->a->type, n->b) : dt_expr(s, n->b);
	n->a = dt_expr_operand(s, n->a);
	n->b = dt_expr_operand(s, n->b);
	if (is_compare(n->op))
		return binary_compare(s, n);
	switch (n->op) {
	case DT_OP_ADD: case DT_OP_SUB:
		return binary_addsub(s, n);
	case DT_OP_SHL: case DT_OP_SHR:
		return binary_shift(s, n);
	case DT_OP_LAND: case DT_OP_LOR: case DT_OP_LXOR:
		return binary_logical(s, n);
	default:
		return binary_arith(s, n);
	}
}

/* The type that the arms b : c have in common; NULL if there is none. */
static const struct dt_type *common_type(struct dt_sema *s, const struct dt_node *b, const struct dt_node *c)
{
	const struct dt_type *t;

	if (dt_type_is_integer(b->type) && dt_type_is_integer(c->type))
		return dt_compat_arith(s, dt_expr_promoted(s, b), dt_expr_promoted(s, c));
	if (both_strings(b, c))
		return dt_types_string(s->types);
	if ((dt_type_is_string(b->type) && dt_node_is_null(c)) ||
	    (dt_type_is_string(c->type) && dt_node_is_null(b)))
		return dt_types_string(s->types);
	if (dt_type_same(b->type, c->type) || dt_compat_types(b->type, c->type))
		return b->type;
	return dt_compat_ptr(s, b, c, &t) ? t : NULL;
}

static const struct dt_type *cond_type(struct dt_sema *s, const struct dt_node *n)
{
	const struct dt_type *t = common_type(s, n->b, n->c);

	if (t == NULL)
		dt_fail(s->diag, D_OP_INCOMPAT, n->loc,
		    "operator ?: operands must have compatible types: \"%s\" and \"%s\"",
		    dt_type_str(s->arena, n->b->type), dt_type_str(s->arena, n->c->type));
	return t;
}

/* An arm must be a value: neither an action nor a translated object can be chosen at run time. */
static struct dt_node *cond_arm(struct dt_sema *s, struct dt_node *arm)
{
	arm = dt_expr(s, arm);
	if (arm->kind == DT_N_XLATE)
		dt_fail(s->diag, D_OP_DYN, arm->loc, "operator ?: operands cannot be of dynamic type");
	if (dt_expr_is_action(arm))
		dt_fail(s->diag, D_OP_ACT, arm->loc, "operator ?: operands cannot be actions");
	return arm;
}

/*
 * A condition known at compile time selects its arm before either arm is typed. The selected arm
 * replaces the whole expression, even if it is an action or an aggregation, and errors in the other arm are
 * never reported. Scripts use this to switch their options.
 */
struct dt_node *dt_expr_picked(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *next = n->next;

	while (n->kind == DT_N_COND) {
		n->a = dt_expr_value(s, dt_expr(s, n->a));
		if (!dt_node_is_const(n->a))
			break;
		n = n->a->value != 0 ? n->b : n->c;
	}
	n->next = next;
	return n;
}

/* True if typing the tree changes nothing but the tree: it creates no variable and fixes no type. */
static bool only_reads(struct dt_sema *s, const struct dt_node *n)
{
	const struct dt_ident *id;

	if (n == NULL)
		return true;
	if (n->kind == DT_N_ASSIGN || n->kind == DT_N_AGG || (n->kind == DT_N_UNARY && n->op >= DT_OP_PREINC))
		return false;
	id = n->kind == DT_N_VAR ? dt_names_var(s, n->scope, n->name) :
	    n->kind == DT_N_IDENT ? dt_names_peek(s, n->name) : NULL;
	if (id == NULL && (n->kind == DT_N_VAR || (n->kind == DT_N_INDEX && n->a->kind == DT_N_IDENT &&
	    dt_names_peek(s, n->a->name) == NULL)))
		return false;
	if (id != NULL && id->row == NULL &&
	    (id->kind == DT_ID_SCALAR || id->kind == DT_ID_ARRAY) && id->type == NULL)
		return false;
	if (!only_reads(s, n->a) || !only_reads(s, n->b) || !only_reads(s, n->c))
		return false;
	for (const struct dt_node *e = n->list; e != NULL; e = e->next)
		if (!only_reads(s, e))
			return false;
	return true;
}

/* The typed arm that is not selected; NULL if it is not a value, or wrong, which is not reported. */
static struct dt_node *try_arm(struct dt_sema *s, struct dt_node *arm)
{
	jmp_buf here, *outer = s->diag->attempt;
	struct dt_bind *binds = s->binds;
	struct dt_opening *opening = s->opening;
	unsigned expanding = s->expanding, expansions = s->expansions, sheltered = s->sheltered;
	struct dt_node *volatile typed = NULL;

	if (!only_reads(s, arm))
		return NULL;
	s->diag->attempt = &here;
	s->sheltered++;		/* what is not compiled does not lower the stability */
	if (setjmp(here) == 0)
		typed = dt_expr_value(s, dt_expr(s, arm));
	else
		s->diag->msg = s->diag->hint = NULL;
	s->diag->attempt = outer;
	s->binds = binds;
	s->opening = opening;
	s->expanding = expanding;
	s->expansions = expansions;
	s->sheltered = sheltered;
	return typed;
}

/* The selected arm with the type that both arms have in common, as if the condition were not known. */
static struct dt_node *selected_arm(struct dt_sema *s, struct dt_node *n)
{
	bool first = n->a->value != 0;
	struct dt_node *arm = dt_expr(s, first ? n->b : n->c), *other;
	const struct dt_type *t;

	if (arm->kind == DT_N_XLATE || dt_expr_is_action(arm) ||
	    !(dt_type_is_integer(arm->type) || dt_type_is_pointer(arm->type)))
		return arm;
	other = try_arm(s, first ? n->c : n->b);
	if (other == NULL || !(dt_type_is_integer(other->type) || dt_type_is_pointer(other->type)))
		return arm;
	t = first ? common_type(s, arm, other) : common_type(s, other, arm);
	if (t == NULL || (dt_type_same(t, arm->type) && !(arm->nflags & DT_NF_BITFIELD)))
		return arm;
	return dt_expr_whole(s, arm, t);
}

/* Only a condition that is not known now leaves a choice to the program. */
struct dt_node *dt_expr_cond(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_value(s, dt_expr(s, n->a));
	if (dt_node_is_const(n->a))
		return selected_arm(s, n);
	if (!dt_type_is_scalar(n->a->type))
		dt_fail(s->diag, D_OP_SCALAR, n->a->loc,
		    "operator ?: requires an expression of scalar type, not %s",
		    dt_type_str(s->arena, n->a->type));
	n->b = cond_arm(s, n->b);
	n->c = cond_arm(s, n->c);
	n->type = cond_type(s, n);
	n->nflags = (n->b->nflags | n->c->nflags) & (DT_NF_USER | DT_NF_ALLOCA);
	dt_expr_object(s, n);
	return n;
}
