/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assignments. An untyped `=` node comes in, a typed one goes out; a left side that is new creates its
 * variable. A variable keeps all 64 bits of an integer that is computed at run time, whatever its type; a
 * constant is converted to the type that a variable was declared with. An object in memory keeps what its
 * type has room for. _Bool is always made 0 or 1.
 */
#include "sema/sema.h"

/* An lvalue has a place; a writable one belongs to the program. The kernel's memory has places only. */
static void check_writable(struct dt_sema *s, const struct dt_node *n)
{
	if (!(n->nflags & DT_NF_LVAL))
		dt_fail(s->diag, D_OP_LVAL, n->loc, "this is not something that can be assigned to");
	if (!(n->nflags & DT_NF_WRITABLE))
		dt_fail_hint(s->diag, D_OP_WRITE, n->loc,
		    s->diag->in_predicate ? "to compare, write ==" :
			n->ident != NULL && strcmp(n->ident->name, "uregs") == 0 ?
					    "the kernel does not let tracing programs change registers" :
					    NULL,
		    "%s can only be read: assignment needs a writable variable",
		    n->ident != NULL ? n->ident->name : "this object");
}

/* Makes the node name the variable. The type may still be NULL: the assignment decides. */
static struct dt_node *new_variable(struct dt_node *n, struct dt_ident *id)
{
	n->ident = id;
	n->type = id->type;
	n->nflags |= DT_NF_LVAL | DT_NF_WRITABLE;
	return n;
}

/* NULL for a kernel symbol, which is never created; the caller then types it as usual. */
static struct dt_ident *find_or_create(struct dt_sema *s, struct dt_node *n, bool array)
{
	enum dt_scope scope = n->kind == DT_N_VAR ? n->scope : DT_SCOPE_GLOBAL;
	struct dt_ident *id;

	if (n->kind == DT_N_IDENT && strchr(n->name, '`') != NULL)
		return NULL;
	id = n->kind == DT_N_IDENT ? dt_names_global(s, n->name) : dt_names_var(s, scope, n->name);
	if (id != NULL)
		return id;
	if (array && scope == DT_SCOPE_CLAUSE)
		dt_fail(s->diag, D_ARR_LOCAL, n->loc,
		    "this->%s cannot be an associative array: use self->%s or a global", n->name, n->name);
	if (n->kind == DT_N_IDENT && dt_types_declared(s->types, NULL, DT_T_TYPEDEF, n->name) != NULL)
		dt_fail(s->diag, D_DECL_IDRED, n->loc, "%s is the name of a type", n->name);
	return dt_names_create(s, scope, n->name, array, n->loc);
}

static bool is_variable(const struct dt_node *n)
{
	return n->kind == DT_N_IDENT || n->kind == DT_N_VAR;
}

/* x[keys] where x is new, or is an associative array whose value has no type yet; NULL otherwise. */
static struct dt_node *new_element(struct dt_sema *s, struct dt_node *n)
{
	struct dt_ident *id = find_or_create(s, n->a, true);

	if (id == NULL || id->kind != DT_ID_ARRAY || id->row != NULL || id->type != NULL)
		return NULL;
	dt_expr_keys(s, id, n, dt_names_spelled(s, id));
	return new_variable(n, id);
}

/* self->x, this->x and x[keys] are created where they are first named. */
bool dt_expr_untyped(struct dt_sema *s, struct dt_node *n)
{
	struct dt_ident *id;

	if (n->type != NULL)
		return false;
	if (n->kind == DT_N_INDEX && is_variable(n->a))
		return new_element(s, n) != NULL;
	if (n->kind != DT_N_VAR)
		return false;
	id = find_or_create(s, n, false);
	if (id->kind != DT_ID_SCALAR || id->type != NULL)
		return false;
	new_variable(n, id);
	return true;
}

/* Without this check, `inline = 1` would report that the expanded body cannot be assigned. */
static void refuse_constants(struct dt_sema *s, const struct dt_node *n)
{
	const struct dt_ident *id = n->kind == DT_N_IDENT ? dt_names_peek(s, n->name) : NULL;

	if (id != NULL && (id->kind == DT_ID_INLINE || id->kind == DT_ID_ENUM))
		dt_fail(s->diag, D_OP_WRITE, n->loc, "%s can only be read: it is %s", id->name,
		    id->kind == DT_ID_INLINE ? "an inline" : "a constant");
}

/*
 * The left side of an assignment, or the operand of ++ and --. `define`: a name that does not exist yet
 * becomes a variable, whose type is NULL until the caller knows the value.
 */
struct dt_node *dt_expr_lvalue(struct dt_sema *s, struct dt_node *n, bool define)
{
	struct dt_node *lhs = NULL, *base;
	struct dt_ident *id;

	n = dt_expr_picked(s, n);
	base = n->kind == DT_N_INDEX ? n->a : n;
	if (base->kind == DT_N_AGG)
		dt_fail(s->diag, D_AGG_FUNC, n->loc,
		    "@%s can only be assigned an aggregating function, in a statement of its own",
		    base->name);
	refuse_constants(s, base);
	if (define && is_variable(n)) {
		id = find_or_create(s, n, false);
		if (id != NULL && id->kind == DT_ID_SCALAR && id->row == NULL && id->type == NULL)
			lhs = new_variable(n, id);
	} else if (define && n->kind == DT_N_INDEX && is_variable(n->a)) {
		lhs = new_element(s, n);
	}
	if (lhs == NULL)
		lhs = dt_expr(s, n);
	check_writable(s, lhs);
	return lhs;
}

/* A new variable gets its type from the first value assigned to it. */
static const struct dt_type *variable_type(struct dt_sema *s, const struct dt_node *value)
{
	const struct dt_type *b = dt_type_base(value->type);

	switch (b->kind) {
	case DT_T_VOID:
		dt_fail(s->diag, D_OP_INCOMPAT, value->loc, "the right side has no value: type void");
	case DT_T_ARRAY:
		return dt_type_is_stringlike(b) ? dt_types_string(s->types) : dt_type_ptr(s->types, b->ref);
	case DT_T_FUNC:
		return dt_type_ptr(s->types, value->type);
	case DT_T_STACK: case DT_T_SYMADDR: case DT_T_USYMADDR: case DT_T_DYN:
		dt_fail(s->diag, D_CG_DYN, value->loc, "a value of this kind cannot be kept in a variable");
	default:
		return value->type;
	}
}

/* Assigning 0 deletes an element, a self-> variable, or a string. */
static bool assignment_deletes(const struct dt_node *lhs, const struct dt_node *value)
{
	return dt_node_is_null(value) && lhs->ident != NULL &&
	    (lhs->kind == DT_N_INDEX || lhs->scope == DT_SCOPE_THREAD || dt_type_is_string(lhs->type));
}

/*
 * A constant becomes what a declared variable of that type can hold: scripts compare the variable with the
 * narrow constant. Values computed at run time stay whole: scripts keep a timestamp in an int.
 */
static struct dt_node *fit_constant(struct dt_sema *s, const struct dt_node *lhs, struct dt_node *value)
{
	const struct dt_ident *id = lhs->ident;
	bool variable = id != NULL && (is_variable(lhs) ||
	    (lhs->kind == DT_N_INDEX && id->kind == DT_ID_ARRAY && id->row == NULL));

	if (!variable || !id->declared || !dt_node_is_const(value) || !dt_type_is_integer(lhs->type) ||
	    !dt_type_is_integer(value->type))
		return value;
	return dt_expr_int(s, value->loc, dt_fold_narrow(s, value->value, lhs->type), lhs->type);
}

/* The value is typed before the variable gets its type: `x = x` of a new x must fail. */
static struct dt_node *assign_plain(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *lt;

	n->b = dt_expr_no_action(s, dt_expr_value(s, dt_expr(s, n->b)));
	if (n->a->type == NULL)
		n->a->ident->type = n->a->type = variable_type(s, n->b);
	dt_expr_object(s, n->a);
	lt = dt_type_base(n->a->type);
	if ((lt->kind == DT_T_ARRAY || lt->kind == DT_T_FUNC) && !assignment_deletes(n->a, n->b))
		dt_fail(s->diag, D_OP_ARRFUN, n->loc, "operator = may not be applied to an object of type %s",
		    dt_type_str(s->arena, n->a->type));
	if (!assignment_deletes(n->a, n->b) && !dt_compat_arg(s, n->a->type, n->b))
		dt_fail(s->diag, D_OP_INCOMPAT, n->loc, "operands have incompatible types: \"%s\" = \"%s\"",
		    dt_type_str(s->arena, n->a->type), dt_type_str(s->arena, n->b->type));
	/* A variable keeps a copy of the string, so the bytes must come from the process now. */
	if (dt_type_is_string(lt) && (n->b->nflags & DT_NF_USER))
		n->b = dt_expr_copyinstr(s, n->b);
	if (lt->kind == DT_T_INT && lt->is_bool)
		n->b = dt_expr_convert(s, n->b, n->a->type);
	n->b = fit_constant(s, n->a, n->b);
	n->type = n->a->type;
	n->nflags = n->b->nflags & (DT_NF_USER | DT_NF_ALLOCA);
	dt_expr_object(s, n);
	return n;
}

/* Operators of compound assignments: integers, or a pointer moved by an integer. */
static void check_operator(struct dt_sema *s, const struct dt_node *n)
{
	bool ints = dt_type_is_integer(n->a->type) && dt_type_is_integer(n->b->type);
	bool step = dt_type_is_pointer(n->a->type) && dt_type_is_integer(n->b->type) &&
	    (n->op == DT_OP_ADD || n->op == DT_OP_SUB);

	if (!ints && !step)
		dt_fail(s->diag, D_OP_INCOMPAT, n->loc, "operands have incompatible types: \"%s\" %s= \"%s\"",
		    dt_type_str(s->arena, n->a->type), dt_op_text(n->op), dt_type_str(s->arena, n->b->type));
	if (step && dt_type_size(s->types, dt_type_base(n->a->type)->ref) == 0)
		dt_fail(s->diag, D_OP_VFPTR, n->loc, "operator %s= cannot be applied to \"%s\"",
		    dt_op_text(n->op), dt_type_str(s->arena, n->a->type));
	if ((n->op == DT_OP_DIV || n->op == DT_OP_MOD) && dt_node_is_null(n->b))
		dt_fail(s->diag, D_DIV_ZERO, n->b->loc, "expression contains division by zero");
}

/* x op= y computes with the type of x. What is computed with must exist, so nothing is created here. */
static struct dt_node *assign_compound(struct dt_sema *s, struct dt_node *n)
{
	if (n->a->type == NULL)
		dt_names_type(s, n->a->ident, n->a->loc);	/* fails: it was never assigned */
	n->b = dt_expr_no_action(s, dt_expr_value(s, dt_expr(s, n->b)));
	check_operator(s, n);
	n->type = n->a->type;
	return n;
}

struct dt_node *dt_expr_assign(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_lvalue(s, n->a, true);
	return n->op == DT_OP_NONE ? assign_plain(s, n) : assign_compound(s, n);
}
