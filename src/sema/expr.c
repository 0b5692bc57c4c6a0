/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types expressions: dispatch, names, constants, casts and simple forms. A clone of the parsed tree
 * comes in. The same tree goes out typed, with inlines, enumerators, sizeof and the like dissolved.
 * Operators are in binary.c and unary.c, assignments in assign.c, calls in call.c, members and
 * translators in member.c and xlate.c.
 * Every function here returns the node that replaces its argument; the caller must use it.
 */
#include "sema/sema.h"

#include <limits.h>

/* A constant that replaces what was folded; it keeps the place for messages. */
struct dt_node *dt_expr_int(struct dt_sema *s, struct dt_loc loc, uint64_t value, const struct dt_type *type)
{
	struct dt_node *n = dt_node_new(s->diag, s->arena, DT_N_INT, loc);

	n->value = value;
	n->type = type;
	return n;
}

/* Whether a value is an address, and of which address space, follows from its type alone. */
void dt_expr_object(struct dt_sema *s, struct dt_node *n)
{
	(void)s;
	if (dt_type_is_byref(n->type))
		n->nflags |= DT_NF_REF;
	if (dt_type_is_user(n->type))
		n->nflags |= DT_NF_USER;
}

/* Copies a tree with its types: the value of a parameter may be used many times. */
struct dt_node *dt_expr_copy(struct dt_sema *s, const struct dt_node *n)
{
	struct dt_node *copy, **tail;

	if (n == NULL)
		return NULL;
	copy = dt_arena_memdup(s->arena, n, sizeof(*n));
	copy->next = NULL;
	copy->a = dt_expr_copy(s, n->a);
	copy->b = dt_expr_copy(s, n->b);
	copy->c = dt_expr_copy(s, n->c);
	tail = &copy->list;
	for (const struct dt_node *e = n->list; e != NULL; e = e->next) {
		*tail = dt_expr_copy(s, e);
		tail = &(*tail)->next;
	}
	*tail = NULL;
	return copy;
}

/* Takes the node's place in its list. */
static struct dt_node *cast_new(struct dt_sema *s, struct dt_node *n, const struct dt_type *type)
{
	struct dt_node *cast = dt_node_new(s->diag, s->arena, DT_N_CAST, n->loc);

	cast->a = n;
	cast->type = type;
	cast->next = n->next;
	n->next = NULL;
	dt_node_adopt(s->diag, cast, n);
	cast->nflags = n->nflags & (DT_NF_USER | DT_NF_ALLOCA);
	dt_expr_object(s, cast);
	return cast;
}

/*
 * A change of type that keeps all 64 bits: D computes in 64 bits, and only a cast in the program, or
 * memory, cuts a value.
 */
struct dt_node *dt_expr_whole(struct dt_sema *s, struct dt_node *n, const struct dt_type *type)
{
	struct dt_node *cast;

	if (dt_node_is_const(n) && dt_type_is_integer(type))
		return dt_expr_int(s, n->loc, n->value, type);
	cast = cast_new(s, n, type);
	cast->nflags |= DT_NF_WHOLE;
	return cast;
}

/* An integer of the same width and sign keeps its upper bits: the program did not ask for a cast. */
struct dt_node *dt_expr_convert(struct dt_sema *s, struct dt_node *n, const struct dt_type *type)
{
	const struct dt_type *from = dt_type_base(n->type), *to = dt_type_base(type);

	if (n->type == type || dt_type_same(n->type, type))
		return n;
	if (dt_type_is_integer(from) && dt_type_is_integer(to) && from->size == to->size &&
	    dt_type_is_signed(from) == dt_type_is_signed(to) && !to->is_bool)
		return dt_expr_whole(s, n, type);
	if (dt_node_is_const(n) && dt_type_is_integer(type))
		return dt_expr_int(s, n->loc, dt_fold_cast(s, n, type), type);
	return cast_new(s, n, type);
}

/* The first type that the constant fits, by its base and suffix, as in C. */
static const struct dt_type *const_type(struct dt_sema *s, const struct dt_node *n)
{
	bool nondec = n->suffix & DT_INT_NONDEC, uns = n->suffix & DT_INT_U;
	bool l = n->suffix & (DT_INT_L | DT_INT_LL), ll = n->suffix & DT_INT_LL;
	uint64_t v = n->value;

	if (n->suffix & DT_INT_CHAR)
		return dt_types_basic(s->types, v > UINT_MAX ? "long" : "int");
	if (!l && !uns && v <= INT_MAX)
		return dt_types_basic(s->types, "int");
	if (!l && (uns || nondec) && v <= UINT_MAX)
		return dt_types_basic(s->types, "unsigned int");
	if (!uns && v <= LONG_MAX)
		return dt_types_basic(s->types, ll ? "long long" : "long");
	return dt_types_basic(s->types, ll ? "unsigned long long" : "unsigned long");
}

static struct dt_node *expr_int(struct dt_sema *s, struct dt_node *n)
{
	/* A decimal constant over LONG_MAX without u is unsigned: nothing signed can hold it. */
	n->type = const_type(s, n);
	if (n->suffix & DT_INT_CHAR)
		n->value = dt_fold_narrow(s, n->value, n->type);
	return n;
}

static struct dt_node *expr_str(struct dt_sema *s, struct dt_node *n)
{
	n->type = dt_types_string(s->types);
	n->nflags |= DT_NF_REF;
	return n;
}

/* ---- names ---- */

/* module`name; *module is NULL for `name. */
static void split_symbol(struct dt_sema *s, const char *text, const char **module, const char **name)
{
	const char *mark = strrchr(text, '`');
	size_t len = mark != NULL ? (size_t)(mark - text) : 0;

	while (len > 0 && text[len - 1] == '`')
		len--;
	*module = len > 0 ? dt_arena_strndup(s->arena, text, len) : NULL;
	*name = mark != NULL ? mark + 1 : text;
}

/* Every kernel has init_task. If it is not listed, the kernel lists no data symbols. */
static bool no_data_symbols(struct dt_sema *s)
{
	const struct dt_services *sv = &s->cc->services;
	const char *home;
	uint64_t addr;

	return sv->symbol != NULL && sv->symbol(sv->ctx, "vmlinux", "init_task", &addr, &home) != 0;
}

static _Noreturn void fail_unknown(struct dt_sema *s, const struct dt_node *n, const char *name)
{
	const char *hint = dt_names_symbol_hint(name);

	if (hint == NULL && no_data_symbols(s))
		hint = "/proc/kallsyms of this kernel lists no data symbols, whether it has this one or not";
	dt_fail_hint(s->diag, D_IDENT_UNDEF, n->loc, hint, "failed to resolve %s: Unknown symbol name",
	    n->name);
}

/* A kernel symbol becomes a DT_N_SYM node. `declared` is the type of an extern declaration, or NULL. */
static struct dt_node *expr_symbol(struct dt_sema *s, struct dt_node *n, const struct dt_type *declared)
{
	const struct dt_services *sv = &s->cc->services;
	const char *module, *name, *home = NULL;
	const struct dt_type *type;
	struct dt_ident *id;
	uint64_t addr = 0;

	if (strstr(n->name, "``") != NULL)
		dt_fail(s->diag, D_SYM_BADREF, n->loc,
		    "%s: user symbols cannot be read from a D program here", n->name);
	split_symbol(s, n->name, &module, &name);
	type = declared != NULL ? declared : dt_types_symbol(s->types, module, name);
	if (sv->symbol == NULL || sv->symbol(sv->ctx, module, name, &addr, &home) != 0) {
		if (type == NULL)
			fail_unknown(s, n, name);
		dt_fail_hint(s->diag, D_SYM_BADREF, n->loc,
		    "/proc/kallsyms of this kernel lists no data symbols",
		    "failed to resolve %s: its type is known, its address is not", n->name);
	}
	if (type == NULL)
		dt_fail_hint(s->diag, D_SYM_NOTYPES, n->loc,
		    dt_arena_printf(s->arena, "declare it (extern int %s;) and use its plain name", name),
		    "no symbolic type information is available for %s", n->name);
	id = DT_NEW(s->arena, struct dt_ident);
	id->name = name;
	id->kind = DT_ID_SYMBOL;
	id->type = type;
	id->value = addr;
	id->module = home != NULL ? home : "vmlinux";
	dt_attr_use(s, dt_attr_private, n->loc, n->name);
	n->kind = DT_N_SYM;
	n->ident = id;
	n->value = addr;
	n->type = type;
	n->nflags |= DT_NF_LVAL;
	dt_expr_object(s, n);
	return n;
}

/* The first four parts of struct dt_provider_attrs have the same order. */
static const char *const probe_parts[] = { "probeprov", "probemod", "probefunc", "probename" };

/* probeprov … probename are as stable as that part of the current probe. */
static struct dt_attr builtin_attr(struct dt_sema *s, const struct dt_ident *id)
{
	const struct dt_provider_attrs *pa;

	if (s->probe == NULL)
		return id->attr;
	for (int i = 0; i < 4; i++)
		if (strcmp(id->name, probe_parts[i]) == 0)
			return (pa = dt_attr_provider(s, s->probe->prov)) != NULL ? pa->part[i] : id->attr;
	return id->attr;
}

/* A provider whose probes fire in several processes is named with the process of the firing. */
static bool names_process(const struct dt_sema *s, const struct dt_ident *id)
{
	const struct dt_services *sv = &s->cc->services;

	return id->row != NULL && s->probe != NULL && sv->every_process != NULL &&
	    strcmp(id->name, probe_parts[0]) == 0 && sv->every_process(sv->ctx, s->probe->prov);
}

/* A variable that is no array: a built-in is read-only. */
static struct dt_node *expr_scalar(struct dt_sema *s, struct dt_node *n, struct dt_ident *id)
{
	n->ident = id;
	n->type = dt_names_type(s, id, n->loc);
	n->nflags |= DT_NF_LVAL;
	if (id->row == NULL)
		n->nflags |= DT_NF_WRITABLE;
	dt_attr_use(s, id->row != NULL ? builtin_attr(s, id) : id->attr, n->loc, id->name);
	dt_expr_object(s, n);
	return names_process(s, id) ? dt_expr_with_pid(s, n) : n;
}

/* A parameter is replaced by a copy of the expression bound to it. */
static struct dt_node *expr_param(struct dt_sema *s, struct dt_node *n, struct dt_ident *id)
{
	struct dt_node *copy;

	if (id->bound == NULL) {	/* the body is being checked: only the type matters */
		n->ident = id;
		n->type = id->type;
		dt_expr_object(s, n);
		return n;
	}
	copy = dt_expr_copy(s, id->bound);
	copy->next = n->next;
	return copy;
}

/* What a plain name may be. Those that are not values are refused with what to write instead. */
static struct dt_node *expr_ident(struct dt_sema *s, struct dt_node *n)
{
	struct dt_ident *id;

	if (strchr(n->name, '`') != NULL)
		return expr_symbol(s, n, NULL);
	id = dt_names_global(s, n->name);
	if (id == NULL)
		dt_names_undefined(s, n);
	switch (id->kind) {
	case DT_ID_SCALAR:
		return expr_scalar(s, n, id);
	case DT_ID_PARAM:
		return expr_param(s, n, id);
	case DT_ID_INLINE:
		return dt_expr_inline(s, n, id);
	case DT_ID_ENUM:
		return dt_expr_int(s, n->loc, id->value, id->type);
	case DT_ID_SYMBOL:
		return expr_symbol(s, n, id->type);
	case DT_ID_FUNC:
		dt_fail_hint(s->diag, D_IDENT_BADREF, n->loc,
		    dt_arena_printf(s->arena, "call it: %s(…)", id->name),
		    "function %s may not be used as a variable", id->name);
	default:
		dt_fail(s->diag, D_IDENT_BADREF, n->loc, "%s is an associative array: it needs keys, %s[…]",
		    id->name, id->name);
	}
}

/* self->x and this->x. Reading one that was never assigned or declared is an error, as it has no type. */
static struct dt_node *expr_var(struct dt_sema *s, struct dt_node *n)
{
	static const char *const prefix[] = { "", "self->", "this->" };
	struct dt_ident *id = dt_names_var(s, n->scope, n->name);

	if (id == NULL)
		dt_fail(s->diag, D_VAR_UNDEF, n->loc, "%s%s has not yet been declared or assigned",
		    prefix[n->scope], n->name);
	if (id->kind == DT_ID_ARRAY)
		dt_fail(s->diag, D_IDENT_BADREF, n->loc, "%s%s is an associative array: it needs keys",
		    prefix[n->scope], n->name);
	return expr_scalar(s, n, id);
}

/* Aggregations are handled by statements and actions before they get here. */
static struct dt_node *expr_agg(struct dt_sema *s, struct dt_node *n)
{
	dt_fail(s->diag, D_AGG_NULL, n->loc,
	    "@%s: an aggregation has no value here; assign to it with @%s = count() and the like, or print "
	    "it with printa(@%s)",
	    n->name, n->name, n->name);
}

/* ---- sizeof, offsetof, stringof, comma ---- */

/* The type of sizeof and offsetof, by its name, so that messages show it. */
static const struct dt_type *size_t_type(struct dt_sema *s)
{
	return dt_types_find(s->types, NULL, DT_T_TYPEDEF, "size_t");
}

/* A type module`name, if no symbol has that name; NULL otherwise. */
static const struct dt_type *scoped_type(struct dt_sema *s, const char *text, struct dt_loc loc)
{
	const char *module, *name;

	if (dt_decl_in_process(text))
		return dt_decl_process_type(s, DT_T_TYPEDEF, text, loc);
	split_symbol(s, text, &module, &name);
	if (dt_types_symbol(s->types, module, name) != NULL)
		return NULL;
	return dt_types_find(s->types, module, DT_T_TYPEDEF, name);
}

/* sizeof (word) or sizeof (word[3]): NULL if the word is a variable, otherwise the type. */
static const struct dt_type *sizeof_word(struct dt_sema *s, const struct dt_node *a)
{
	const struct dt_type *elem;

	if (a->kind == DT_N_INDEX && a->list != NULL && a->list->next == NULL) {
		elem = sizeof_word(s, a->a);
		if (elem == NULL)
			return NULL;
		return dt_type_array(s->types, elem,
		    dt_decl_const(s, a->list, D_DECL_ARRSUB, "an array's size", NULL));
	}
	if (a->kind != DT_N_IDENT)
		return NULL;
	if (strchr(a->name, '`') != NULL)
		return scoped_type(s, a->name, a->loc);
	/* This also loads the library that declares a type of that name. */
	if (dt_names_global(s, a->name) != NULL)
		return NULL;
	return dt_types_find(s->types, NULL, DT_T_TYPEDEF, a->name);
}

/* A constant: the operand is typed and never run. */
static struct dt_node *expr_sizeof(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *type;
	uint64_t size;

	if (n->a == NULL) {
		type = dt_sema_type(s, n->tname);
	} else if ((type = sizeof_word(s, n->a)) == NULL) {
		n->a = dt_expr_named(s, n->a);
		if (n->a->nflags & DT_NF_BITFIELD)
			dt_fail(s->diag, D_SIZEOF_BITFIELD, n->a->loc, "cannot apply sizeof to a bit-field");
		/* The size of a string constant is that of its characters, not of the string type. */
		if (n->a->kind == DT_N_STR)
			return dt_expr_int(s, n->loc, (uint64_t)n->a->slen + 1, size_t_type(s));
		type = n->a->type;
	}
	size = dt_type_size(s->types, type);
	if (size == 0)
		dt_fail(s->diag, D_SIZEOF_TYPE, n->loc,
		    "cannot apply sizeof to an operand of unknown size: type %s",
		    dt_type_str(s->arena, type));
	return dt_expr_int(s, n->loc, size, size_t_type(s));
}

/* Offsets are in bytes, and a bit-field has none. */
static struct dt_node *expr_offsetof(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *type = dt_type_complete(s->types, dt_type_base(dt_sema_type(s, n->tname)));
	struct dt_member m;

	if (dt_type_is_sou(type) && type->incomplete)
		dt_fail(s->diag, D_OFFSETOF_TYPE, n->loc,
		    "offsetof operand must be a struct or union that is known: %s is only declared",
		    dt_type_str(s->arena, type));
	if (!dt_type_is_sou(type))
		dt_fail(s->diag, D_OFFSETOF_TYPE, n->loc,
		    "offsetof operand must be a struct or union type, not %s", dt_type_str(s->arena, type));
	if (!dt_type_member(s->types, type, n->name, &m))
		dt_fail(s->diag, D_TYPE_MEMBER, n->name_loc, "%s is not a member of %s", n->name,
		    dt_type_str(s->arena, type));
	if (m.bit_size != 0)
		dt_fail(s->diag, D_OFFSETOF_BITFIELD, n->name_loc,
		    "cannot take the offset of a bit-field: %s", n->name);
	return dt_expr_int(s, n->loc, m.bit_off / 8, size_t_type(s));
}

/* For a user address stringof() is copyinstr(). */
static struct dt_node *expr_stringof(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_value(s, dt_expr_named(s, n->a));
	if (!dt_type_is_scalar(n->a->type) && !dt_type_is_stringlike(n->a->type) &&
	    !dt_type_is_pointer(n->a->type))
		dt_fail(s->diag, D_STRINGOF_TYPE, n->loc, "cannot apply stringof to a value of type %s",
		    dt_type_str(s->arena, n->a->type));
	if (n->a->nflags & DT_NF_USER)
		return dt_expr_copyinstr(s, n->a);
	n->type = dt_types_string(s->types);
	n->nflags = DT_NF_REF;
	return n;
}

/* Both sides are computed, from left to right; the value is the right one's. */
static struct dt_node *expr_comma(struct dt_sema *s, struct dt_node *n)
{
	n->a = dt_expr_no_action(s, dt_expr(s, n->a));
	n->b = dt_expr_no_action(s, dt_expr(s, n->b));
	if (n->a->kind == DT_N_XLATE || n->b->kind == DT_N_XLATE)
		dt_fail(s->diag, D_OP_DYN, n->loc, "operator , may not be applied to a translated object");
	n->type = n->b->type;
	n->nflags = n->b->nflags & (DT_NF_REF | DT_NF_USER | DT_NF_ALLOCA);
	return n;
}

/* ---- casts ---- */

/* The casts of C, plus casts to string. */
static bool castable(struct dt_sema *s, const struct dt_type *to, const struct dt_type *from)
{
	if (dt_type_same(to, from) || dt_compat_types(to, from) || dt_type_is_void(to))
		return true;
	if (dt_type_is_string(to))
		return dt_type_is_scalar(from) || dt_type_is_stringlike(from) || dt_type_is_pointer(from);
	if (!dt_type_is_scalar(to))
		return false;
	(void)s;
	return dt_type_is_scalar(from) || dt_type_is_pointer(from) || dt_type_base(from)->kind == DT_T_FUNC ||
	    (dt_type_is_string(from) && dt_type_is_pointer(to));
}

/* The same type without the userland qualifier. */
static const struct dt_type *not_user(struct dt_sema *s, const struct dt_type *t)
{
	if (t->kind == DT_T_ARRAY)
		return dt_type_array(s->types, not_user(s, t->ref), t->nelems);
	return t->kind == DT_T_QUAL ? dt_type_qual(s->types, t->ref, t->quals & ~(unsigned)DT_TQ_USERLAND) :
				      t;
}

/*
 * A cast to a type of a process makes a number an address in that process. A pointer keeps its address
 * space: copyin() has already brought the bytes.
 */
static const struct dt_type *cast_in_place(struct dt_sema *s, const struct dt_type *to,
    const struct dt_node *n)
{
	const struct dt_type *base = dt_type_base(to), *from = n->a->type;

	if (base->kind != DT_T_PTR || !dt_type_of_process(to) ||
	    (n->tname->decl->specs->quals & DT_TQ_USERLAND))
		return to;
	if (!dt_type_is_pointer(from) || dt_type_is_user(from) || (n->a->nflags & DT_NF_USER))
		return to;
	return dt_type_ptr(s->types, not_user(s, base->ref));
}

static struct dt_node *expr_cast(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *to = dt_sema_type(s, n->tname);

	n->a = dt_expr_value(s, dt_expr_enumerator(s, to, n->a));
	to = cast_in_place(s, to, n);
	if (!castable(s, to, n->a->type))
		dt_fail(s->diag, D_CAST_INVAL, n->loc, "invalid cast expression: %s to %s",
		    dt_type_str(s->arena, n->a->type), dt_type_str(s->arena, to));
	if (dt_type_is_string(to) && (n->a->nflags & DT_NF_USER))
		return dt_expr_copyinstr(s, n->a);
	dt_expr_no_action(s, n->a);
	n->type = to;
	if (dt_node_is_const(n->a) && dt_type_is_integer(to))
		return dt_expr_int(s, n->loc, dt_fold_cast(s, n->a, to), to);
	/* An address keeps its address space and scratch flag in a cast; a number has neither. */
	n->nflags = n->a->nflags & (DT_NF_USER | DT_NF_ALLOCA);
	dt_expr_object(s, n);
	return n;
}

/* ---- dispatch ---- */

bool dt_expr_is_action(const struct dt_node *n)
{
	return n->kind == DT_N_CALL && n->ident != NULL && n->ident->row->kind != DT_BI_SUBR;
}

/*
 * An action has type void, or its type as a key, so callers that want a certain type refuse it
 * themselves. Callers that take any type must call this.
 */
struct dt_node *dt_expr_no_action(struct dt_sema *s, struct dt_node *n)
{
	if (dt_expr_is_action(n))
		dt_fail(s->diag, D_CG_EXPR, n->loc,
		    "%s( ) may not be called from a D expression (D program context required)",
		    n->ident->name);
	return n;
}

struct dt_node *dt_expr_value(struct dt_sema *s, struct dt_node *n)
{
	return n->kind == DT_N_XLATE ? dt_expr_xwhole(s, n) : n;
}

const struct dt_type *dt_expr_promoted(struct dt_sema *s, const struct dt_node *n)
{
	unsigned spare = dt_type_is_signed(n->type) ? 0 : 1;

	if ((n->nflags & DT_NF_BITFIELD) && n->bit_size + spare <= 32)
		return dt_types_basic(s->types, "int");
	return n->type;
}

struct dt_node *dt_expr_operand(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *type;

	n = dt_expr_value(s, n);
	type = dt_expr_promoted(s, n);
	return type == n->type ? n : dt_expr_whole(s, n, type);
}

struct dt_node *dt_expr(struct dt_sema *s, struct dt_node *n)
{
	static struct dt_node *(*const by_kind[DT_N_NKINDS])(struct dt_sema *, struct dt_node *) = {
		[DT_N_INT] = expr_int,
		[DT_N_STR] = expr_str,
		[DT_N_IDENT] = expr_ident,
		[DT_N_VAR] = expr_var,
		[DT_N_AGG] = expr_agg,
		[DT_N_INDEX] = dt_expr_index,
		[DT_N_CALL] = dt_expr_call,
		[DT_N_MEMBER] = dt_expr_member,
		[DT_N_UNARY] = dt_expr_unary,
		[DT_N_BINARY] = dt_expr_binary,
		[DT_N_ASSIGN] = dt_expr_assign,
		[DT_N_COND] = dt_expr_cond,
		[DT_N_COMMA] = expr_comma,
		[DT_N_CAST] = expr_cast,
		[DT_N_SIZEOF] = expr_sizeof,
		[DT_N_OFFSETOF] = expr_offsetof,
		[DT_N_STRINGOF] = expr_stringof,
		[DT_N_XLATE] = dt_expr_xlate,
	};
	struct dt_node *next = n->next, *typed;

	if (n->type != NULL || by_kind[n->kind] == NULL)
		return n;	/* typed already: part of an expansion */
	typed = by_kind[n->kind](s, n);
	typed->next = next;
	return typed;
}
