/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which types go together. Types come in; the result type of an integer operator, or a yes or no by D's
 * rules for strings, pointers and keys, goes out.
 */
#include "sema/sema.h"

/*
 * The type of an operator's result for one operand: the operand's own. Values have 64 bits whatever
 * their type, so only enums and _Bool, which are not plain integers, become int.
 */
const struct dt_type *dt_compat_promote(struct dt_sema *s, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	if (b->kind == DT_T_ENUM)
		return b->size > 4 ? dt_types_sized(s->types, 8, b->is_signed) :
				     dt_types_basic(s->types, "int");
	return b->kind == DT_T_INT && b->is_bool ? dt_types_basic(s->types, "int") : t;
}

/* For two operands: the wider type; of two equally wide ones the unsigned. */
const struct dt_type *dt_compat_arith(struct dt_sema *s, const struct dt_type *a, const struct dt_type *b)
{
	const struct dt_type *pa = dt_compat_promote(s, a), *pb = dt_compat_promote(s, b);
	const struct dt_type *ba = dt_type_base(pa), *bb = dt_type_base(pb);

	if (ba->size != bb->size)
		return ba->size > bb->size ? pa : pb;
	return ba->is_signed && !bb->is_signed ? pb : pa;
}

/* The base type that a pointer or array leads to; NULL for other types. */
static const struct dt_type *pointee(const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	return b->kind == DT_T_PTR || b->kind == DT_T_ARRAY ? dt_type_base(b->ref) : NULL;
}

static bool same_tag(const struct dt_type *a, const struct dt_type *b)
{
	if (a == b)
		return true;
	/*
	 * A forward declaration and its definition are the same type to the user. So are two
	 * definitions of a struct by two object files of one process.
	 */
	return a->kind == b->kind && dt_type_is_sou(a) && a->name != NULL && b->name != NULL &&
	    strcmp(a->name, b->name) == 0 &&
	    (a->incomplete || b->incomplete || (a->process && b->process && a->size == b->size));
}

/*
 * True if the types are the same after typedefs, qualifiers and spellings of equal integers are
 * removed.
 */
bool dt_compat_types(const struct dt_type *a, const struct dt_type *b)
{
	a = dt_type_base(a);
	b = dt_type_base(b);
	if (same_tag(a, b))
		return true;
	if (a->kind == DT_T_INT && b->kind == DT_T_INT)
		return a->size == b->size && (a->is_signed == b->is_signed || a->is_char || b->is_char);
	if (a->kind == DT_T_PTR && b->kind == DT_T_PTR)
		return dt_compat_types(a->ref, b->ref);
	if (a->kind == DT_T_ARRAY && b->kind == DT_T_ARRAY)
		return a->nelems == b->nelems && dt_compat_types(a->ref, b->ref);
	return a->kind == b->kind && a->kind == DT_T_FUNC;
}

/*
 * True if the pointers may be compared, chosen between, or assigned. void * goes with all, a constant 0
 * is the null pointer, otherwise the targets must agree. *result is the common pointer type.
 */
bool dt_compat_ptr(struct dt_sema *s, const struct dt_node *a, const struct dt_node *b,
    const struct dt_type **result)
{
	const struct dt_type *ta = dt_type_is_string(a->type) ? NULL : pointee(a->type);
	const struct dt_type *tb = dt_type_is_string(b->type) ? NULL : pointee(b->type);

	(void)s;
	if (ta == NULL && tb == NULL)
		return false;
	if (ta == NULL || tb == NULL) {
		const struct dt_node *other = ta == NULL ? a : b;

		*result = ta == NULL ? b->type : a->type;
		return dt_node_is_null(other);
	}
	*result = dt_type_is_void(ta) ? b->type : a->type;
	return dt_type_is_void(ta) || dt_type_is_void(tb) || dt_compat_types(ta, tb);
}

/* May this value be passed, assigned or used as a key where `want` is expected? */
bool dt_compat_arg(struct dt_sema *s, const struct dt_type *want, const struct dt_node *n)
{
	const struct dt_type *w = dt_type_base(want), *t = dt_type_base(n->type);
	const struct dt_type *result;
	struct dt_node target = { .kind = DT_N_VAR, .type = want };

	if (dt_type_is_integer(w) && dt_type_is_integer(t))
		return true;
	if (dt_type_is_string(w) && (dt_type_is_stringlike(t) || dt_node_is_null(n)))
		return true;
	if (dt_type_is_stringlike(w) && dt_type_is_string(t))
		return true;
	if (w->kind == DT_T_STACK || w->kind == DT_T_SYMADDR || w->kind == DT_T_USYMADDR ||
	    w->kind == DT_T_FLOAT)
		return w->kind == t->kind && w->size == t->size;
	if (dt_type_is_sou(w))
		return same_tag(w, t);
	if (w->kind == DT_T_PTR || w->kind == DT_T_ARRAY)
		return dt_compat_ptr(s, &target, n, &result);
	return false;
}
