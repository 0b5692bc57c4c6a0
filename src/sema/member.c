/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Members and elements: x.m, x->m and x[i] come in; typed nodes with offsets go out. Associative
 * arrays, built-in arrays and inlines with parameters share the [ ] syntax.
 */
#include "sema/sema.h"

/* The reason why types are unknown on a kernel without BTF; NULL if the kernel has it. */
static const char *no_kernel_types(struct dt_sema *s)
{
	return dt_types_kernel_missing(s->types, s->arena);
}

/* The struct or union that . or -> applies to; fails if there is none. */
static const struct dt_type *sou_of(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *t = dt_type_base(n->a->type);

	if (n->arrow) {
		if (t->kind != DT_T_PTR && t->kind != DT_T_ARRAY)
			dt_fail_hint(s->diag, D_OP_PTR, n->loc,
			    dt_type_is_sou(t) ? "use . for a struct" : NULL,
			    "operator -> must be applied to a pointer, not to \"%s\"",
			    dt_type_str(s->arena, n->a->type));
		t = dt_type_base(t->ref);
	}
	t = dt_type_complete(s->types, t);
	if (!dt_type_is_sou(t))
		dt_fail_hint(s->diag, D_OP_SOU, n->loc,
		    !n->arrow && dt_type_is_pointer(t) ? "use -> for a pointer" : NULL,
		    "operator %s requires a struct or union, not \"%s\"", n->arrow ? "->" : ".",
		    dt_type_str(s->arena, n->a->type));
	if (t->incomplete)
		dt_fail_hint(s->diag, D_OP_INCOMPLETE, n->loc, no_kernel_types(s),
		    "operator %s cannot be applied to %s: its definition is not known", n->arrow ? "->" : ".",
		    dt_type_str(s->arena, t));
	return t;
}

/* Offers the names of members, also of anonymous structs, until *left is used up. */
static void offer_members(struct dt_sema *s, const struct dt_type *t, struct dt_near *near, unsigned depth,
    unsigned *left)
{
	uint32_t n;
	const struct dt_member *m = dt_type_members(s->types, t, &n);

	for (uint32_t i = 0; i < n && *left > 0; i++) {
		--*left;
		if (m[i].name != NULL && m[i].name[0] != '\0')
			dt_near_offer(near, m[i].name);
		else if (depth < 8 && dt_type_is_sou(m[i].type))
			offer_members(s, dt_type_base(m[i].type), near, depth + 1, left);
	}
}

/* Suggests a member that exists, if one has a similar name. */
_Noreturn static void no_member(struct dt_sema *s, const struct dt_node *n, const struct dt_type *t)
{
	unsigned left = 1 << 16;	/* types of processes are hostile: structs may contain each other */
	struct dt_near near;

	dt_near_init(&near, n->name);
	offer_members(s, t, &near, 0, &left);
	dt_fail_hint(s->diag, D_TYPE_MEMBER, n->name_loc,
	    near.best != NULL ? dt_arena_printf(s->arena, "did you mean `%s`?", near.best) : NULL,
	    "%s is not a member of %s", n->name, dt_type_str(s->arena, t));
}

/* A bit-field is read through the unit of its declared type that contains it. */
void dt_expr_bits(struct dt_sema *s, struct dt_node *n, const struct dt_member *m)
{
	uint64_t unit = dt_type_size(s->types, m->type) * 8;
	uint64_t start = unit != 0 ? m->bit_off / unit * unit : 0;

	if (unit == 0 || m->bit_off + m->bit_size > start + unit)
		dt_fail(s->diag, D_UNKNOWN, n->loc,
		    "bit-field %s is packed across its storage unit, which D cannot read", n->name);
	n->nflags |= DT_NF_BITFIELD;
	n->moff = (uint32_t)(start / 8);
	n->bit_off = (uint16_t)(m->bit_off - start);
	n->bit_size = m->bit_size;
}

/* Types that the program brought itself are as stable as the program. */
static bool declared_in_d(const struct dt_type *t)
{
	return t->module == NULL || strcmp(t->module, "D") == 0 || strcmp(t->module, "C") == 0;
}

/*
 * x.m and x->m. A translated object has no memory: its member is an expression, made by the translator.
 * Otherwise the member inherits from x where it lies: in user memory, in scratch memory, or where it
 * may not be written.
 */
struct dt_node *dt_expr_member(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *t;
	struct dt_member m;

	n->a = dt_expr(s, n->a);
	if (n->a->kind == DT_N_XLATE)
		return dt_expr_xmember(s, n->a, n);
	n->a = dt_expr_value(s, n->a);
	t = sou_of(s, n);
	if (!dt_type_member(s->types, t, n->name, &m))
		no_member(s, n, t);
	if (m.bit_off / 8 > UINT32_MAX)
		dt_fail(s->diag, D_TYPE_MEMBER, n->name_loc, "member %s is too far from the start of %s",
		    n->name, dt_type_str(s->arena, t));
	if (!declared_in_d(t))
		dt_attr_use(s, dt_attr_private, n->name_loc, n->name);
	n->type = m.type;
	n->moff = (uint32_t)(m.bit_off / 8);
	n->nflags = DT_NF_LVAL | (n->a->nflags & (DT_NF_USER | DT_NF_ALLOCA));
	if (n->arrow && dt_type_base(n->a->type)->user)
		n->nflags |= DT_NF_USER;
	/*
	 * A pointer in a D variable may lead to scratch memory; if it does not, the store faults at run
	 * time.
	 */
	if ((n->nflags & DT_NF_ALLOCA) || (n->arrow && n->a->kind == DT_N_CAST) ||
	    (n->a->nflags & DT_NF_WRITABLE))
		n->nflags |= DT_NF_WRITABLE;
	if (m.bit_size != 0)
		dt_expr_bits(s, n, &m);
	dt_expr_object(s, n);
	return n;
}

/* ---- elements ---- */

static uint32_t count_keys(const struct dt_node *list)
{
	uint32_t n = 0;

	for (; list != NULL; list = list->next)
		n++;
	return n;
}

/* Types one key. Strings in user memory are copied in: a key holds the text. */
static struct dt_node *type_key(struct dt_sema *s, struct dt_node *key, const char *what)
{
	struct dt_node *next = key->next;

	key = dt_expr(s, key);
	if (key->kind == DT_N_XLATE || dt_type_is_void(key->type) ||
	    dt_type_base(key->type)->kind == DT_T_DYN)
		dt_fail(s->diag, D_KEY_TYPE, key->loc, "%s[ ]: a key may not be %s", what,
		    key->kind == DT_N_XLATE ? "a translated object" : "of type void");
	key = dt_expr_no_action(s, dt_expr_value(s, key));
	if (dt_type_is_stringlike(key->type) && (key->nflags & DT_NF_USER))
		key = dt_expr_copyinstr(s, key);
	key->next = next;
	return key;
}

/* The type that a key has in the signature: arrays of char are strings, other arrays are addresses. */
static const struct dt_type *key_type(struct dt_sema *s, const struct dt_node *key)
{
	const struct dt_type *b = dt_type_base(key->type);

	if (b->kind == DT_T_ARRAY)
		return dt_type_is_stringlike(b) ? dt_types_string(s->types) : dt_type_ptr(s->types, b->ref);
	return key->type;
}

/* The first use of an array decides the types of its keys. */
static void fix_signature(struct dt_sema *s, struct dt_ident *id, const struct dt_node *list)
{
	uint32_t i = 0;

	id->nkeys = count_keys(list);
	id->keys = DT_NEWN(s->cc->arena, const struct dt_type *, id->nkeys);
	for (const struct dt_node *k = list; k != NULL; k = k->next)
		id->keys[i++] = key_type(s, k);
	id->keyed = true;
}

/*
 * Types the keys and checks them against the signature of the array, which the first use fixes.
 * Integers are converted to the key's type, so that equal numbers of different types are one element.
 */
void dt_expr_keys(struct dt_sema *s, struct dt_ident *id, struct dt_node *n, const char *what)
{
	uint32_t i = 0;

	for (struct dt_node **k = &n->list; *k != NULL; k = &(*k)->next)
		*k = type_key(s, *k, what);
	if (!id->keyed)
		fix_signature(s, id, n->list);
	if (count_keys(n->list) != id->nkeys)
		dt_fail(s->diag, D_PROTO_LEN, n->loc,
		    "%s[ ] prototype mismatch: %u key%s passed, %u expected", what, count_keys(n->list),
		    count_keys(n->list) == 1 ? "" : "s", id->nkeys);
	if (id->nkeys > s->cc->tregs && s->cc->tregs != 0)
		dt_fail(s->diag, D_NOREG, n->loc, "%s[ ] needs more tuple registers than there are (%u)",
		    what, s->cc->tregs);
	if (id->nkeys > DT_DIF_NTREGS)
		dt_fail(s->diag, D_PROTO_LEN, n->loc, "%s[ ]: associative arrays have at most %d keys", what,
		    DT_DIF_NTREGS);
	for (struct dt_node **k = &n->list; *k != NULL; k = &(*k)->next, i++) {
		struct dt_node *key = *k, *next = key->next;

		if (!dt_compat_arg(s, id->keys[i], key))
			dt_fail(s->diag, D_PROTO_ARG, key->loc,
			    "%s[ ] key #%u is incompatible with prototype:\n\tprototype: %s\n\t      key: %s",
			    what, i + 1, dt_type_str(s->arena, id->keys[i]),
			    dt_type_str(s->arena, key->type));
		if (dt_type_is_integer(id->keys[i])) {
			key->next = NULL;
			*k = dt_expr_convert(s, key, id->keys[i]);
			(*k)->next = next;
		}
	}
}

/* An element of an associative array that has a value type. */
static struct dt_node *assoc_element(struct dt_sema *s, struct dt_node *n, struct dt_ident *id)
{
	dt_expr_keys(s, id, n, dt_names_spelled(s, id));
	n->ident = id;
	n->scope = id->scope;
	n->type = dt_names_type(s, id, n->loc);
	n->nflags |= DT_NF_LVAL | DT_NF_WRITABLE;
	dt_attr_use(s, id->attr, n->loc, id->name);
	dt_expr_object(s, n);
	return n;
}

/* args[] and the register arrays. */
static struct dt_node *builtin_array(struct dt_sema *s, struct dt_node *n, struct dt_ident *id)
{
	if (count_keys(n->list) != 1)
		dt_fail(s->diag, D_PROTO_LEN, n->loc, "%s[ ] prototype mismatch: %u keys passed, 1 expected",
		    id->name, count_keys(n->list));
	if (strcmp(id->name, "args") == 0)
		return dt_expr_args(s, n);
	n->type = dt_names_type(s, id, n->loc);
	n->list = dt_expr_value(s, dt_expr(s, n->list));
	if (!dt_type_is_integer(n->list->type))
		dt_fail(s->diag, D_PROTO_ARG, n->list->loc, "%s[ ] needs an integer index", id->name);
	if (dt_node_is_const(n->list) && dt_node_int(n->list) < 0)
		dt_fail(s->diag, D_REGS_IDX, n->list->loc, "%s[ ] index %lld is negative", id->name,
		    (long long)dt_node_int(n->list));
	n->ident = id;
	n->nflags |= DT_NF_LVAL;
	dt_attr_use(s, id->attr, n->loc, id->name);
	return n;
}

/* Checks what p[i] leads to. p[i] is typed as *(p + i), and a message about that + would puzzle. */
static void check_pointee(struct dt_sema *s, const struct dt_node *n, const struct dt_node *p)
{
	const struct dt_type *to = dt_type_is_pointer(p->type) ? dt_type_base(dt_type_base(p->type)->ref) :
								 NULL;

	if (to != NULL && (to->kind == DT_T_VOID || to->kind == DT_T_FUNC))
		dt_fail_hint(s->diag, D_OP_VFPTR, n->loc,
		    to->kind == DT_T_VOID ? "cast it to the type it points to first" : NULL,
		    "operator [ ] cannot be applied to a pointer to %s",
		    to->kind == DT_T_VOID ? "void" : "function");
	if (to != NULL && dt_type_size(s->types, to) == 0)
		dt_fail(s->diag, D_OP_INCOMPLETE, n->loc, "operator [ ]: the size of %s is not known",
		    dt_type_str(s->arena, to));
}

/* E1[E2] is *(E1 + E2), as in C. */
static struct dt_node *array_element(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *sum = dt_node_new(s->diag, s->arena, DT_N_BINARY, n->loc), *deref;
	bool writable;

	if (count_keys(n->list) != 1)
		dt_fail(s->diag, D_ARR_BADREF, n->loc,
		    "a list of keys needs an associative array, not \"%s\"",
		    dt_type_str(s->arena, n->a->type));
	writable = n->a->nflags & DT_NF_WRITABLE;
	sum->op = DT_OP_ADD;
	sum->a = n->a;
	sum->b = dt_expr_value(s, dt_expr(s, n->list));
	if (!dt_type_is_pointer(sum->a->type) && !dt_type_is_string(sum->a->type))
		dt_fail(s->diag, D_DEREF_NONPTR, n->loc, "[ ] needs an array or a pointer, not \"%s\"",
		    dt_type_str(s->arena, sum->a->type));
	if (!dt_type_is_integer(sum->b->type))
		dt_fail(s->diag, D_OP_INCOMPAT, sum->b->loc, "an array index must be an integer, not \"%s\"",
		    dt_type_str(s->arena, sum->b->type));
	check_pointee(s, n, sum->a);
	dt_node_adopt(s->diag, sum, sum->a);
	dt_node_adopt(s->diag, sum, sum->b);
	deref = dt_node_new(s->diag, s->arena, DT_N_UNARY, n->loc);
	deref->op = DT_OP_DEREF;
	deref->a = sum;
	dt_node_adopt(s->diag, deref, sum);
	deref = dt_expr(s, deref);
	if (writable)
		deref->nflags |= DT_NF_WRITABLE;
	return deref;
}

/* An inline with parameters is written like an array. */
static struct dt_node *inline_call(struct dt_sema *s, struct dt_node *n, struct dt_ident *id)
{
	if (count_keys(n->list) != id->nparams)
		dt_fail(s->diag, D_PROTO_LEN, n->loc, "%s[ ] prototype mismatch: %u keys passed, %u expected",
		    id->name, count_keys(n->list), id->nparams);
	return dt_expr_inline(s, n, id);
}

/* The name in front of [ ]; NULL if it is no plain name or unknown. */
static struct dt_ident *indexed_ident(struct dt_sema *s, const struct dt_node *a)
{
	if (a->kind == DT_N_VAR)
		return dt_names_var(s, a->scope, a->name);
	return a->kind == DT_N_IDENT && strchr(a->name, '`') == NULL ? dt_names_global(s, a->name) : NULL;
}

/* Decided by what the name is, as far as it is a name; everything else is C's E1[E2]. */
struct dt_node *dt_expr_index(struct dt_sema *s, struct dt_node *n)
{
	struct dt_ident *id;

	if (n->a->kind == DT_N_AGG)
		return dt_expr(s, n->a);	/* refuses it */
	if (n->a->kind == DT_N_INDEX && n->a->a->kind == DT_N_AGG)
		dt_fail(s->diag, D_AGG_MDIM, n->loc, "@%s: an aggregation has one list of keys, @%s[a, b]",
		    n->a->a->name, n->a->a->name);
	id = indexed_ident(s, n->a);
	if (id != NULL && id->kind == DT_ID_ARRAY && id->row != NULL)
		return builtin_array(s, n, id);
	if (id != NULL && id->kind == DT_ID_ARRAY)
		return assoc_element(s, n, id);
	if (id != NULL && id->kind == DT_ID_INLINE && id->nparams > 0)
		return inline_call(s, n, id);
	if (id != NULL && id->kind == DT_ID_FUNC)
		dt_fail(s->diag, D_IDENT_BADREF, n->loc, "%s is a function: call it with ( )", id->name);
	n->a = dt_expr(s, n->a);
	if (n->a->kind == DT_N_XLATE)
		n->a = dt_expr_xwhole(s, n->a);
	if (id != NULL && n->a->ident == id && !dt_type_is_pointer(n->a->type) &&
	    !dt_type_is_string(n->a->type))
		dt_fail(s->diag, D_IDENT_BADREF, n->loc,
		    "%s is a scalar and cannot be used as an associative array", id->name);
	return array_element(s, n);
}
