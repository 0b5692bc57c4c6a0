/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types as written come in; interned types of the graph go out: specifiers, struct and enum bodies,
 * declarators.
 */
#include "sema/sema.h"

#include <errno.h>
#include <limits.h>

/* The name space that new types belong to. */
static const char *container(const struct dt_sema *s)
{
	return s->cdefs ? "C" : "D";
}

/* A constant expression of a declaration; fails with the given tag when it is not constant. */
uint64_t dt_decl_const(struct dt_sema *s, const struct dt_node *expr, enum dt_tag tag, const char *what,
    bool *is_signed)
{
	struct dt_node *n = dt_expr(s, dt_node_clone(s->arena, expr));

	if (!dt_node_is_const(n))
		dt_fail(s->diag, tag, expr->loc, "%s must be an integer constant", what);
	if (is_signed != NULL)
		*is_signed = dt_type_is_signed(n->type);
	return n->value;
}

/* ---- named types ---- */

/* Splits module`name. *module stays NULL if there is none. */
static const char *split_module(struct dt_sema *s, const char *text, struct dt_loc loc, const char **module)
{
	const char *mark = strrchr(text, '`');

	*module = NULL;
	if (mark == NULL)
		return text;
	if (strchr(text, '`') != mark)
		dt_fail(s->diag, D_UNKNOWN, loc,
		    "failed to resolve type %s: Improper use of scoping operator in type name", text);
	if (mark != text)
		*module = dt_arena_strndup(s->arena, text, (size_t)(mark - text));
	return mark + 1;
}

/* Is the body of this type being read right now? */
static bool is_opening(const struct dt_sema *s, const struct dt_type *t)
{
	for (const struct dt_opening *o = s->opening; o != NULL; o = o->next)
		if (o->type == t)
			return true;
	return false;
}

bool dt_decl_in_process(const char *text)
{
	/* No kernel module has a name that starts with "pid" */
	return strncmp(text, "pid", 3) == 0 && strchr(text, '`') != NULL;
}

const struct dt_type *dt_decl_process_type(struct dt_sema *s, enum dt_tkind kind, const char *text,
    struct dt_loc loc)
{
	const struct dt_services *sv = &s->cc->services;
	const char *mark = strrchr(text, '`'), *why = "processes are not looked at here";
	const struct dt_type *t;
	struct dt_near near;

	dt_near_init(&near, mark + 1);
	t = sv->process_type == NULL ? NULL :
	    sv->process_type(sv->ctx, dt_arena_strndup(s->arena, text, (size_t)(mark - text)), kind, mark + 1,
		&why, &near);
	if (t == NULL)
		dt_fail_hint(s->diag, D_UNKNOWN, loc,
		    near.best != NULL ? dt_arena_printf(s->arena, "did you mean `%s`?", near.best) : NULL,
		    "failed to resolve type %s: %s", text, why);
	return t;
}

/*
 * Looks a type up by kind and name; NULL: unknown. An incomplete type is only returned inside its own
 * body.
 */
static const struct dt_type *find_type(struct dt_sema *s, const char *module, enum dt_tkind kind,
    const char *name)
{
	static const char *const words[] = {
		[DT_T_STRUCT] = "struct ", [DT_T_UNION] = "union ", [DT_T_ENUM] = "enum ", [DT_T_TYPEDEF] = ""
	};
	const struct dt_services *sv = &s->cc->services;
	const struct dt_type *t = NULL;

	/* declarations first, then libraries: asking the kernel's type data costs most */
	if (module == NULL) {
		t = dt_types_declared(s->types, NULL, kind, name);
		if (t == NULL && sv->library != NULL &&
		    sv->library(sv->ctx, dt_arena_printf(s->arena, "%s%s", words[kind], name)))
			t = dt_types_declared(s->types, NULL, kind, name);
	}
	return t != NULL && (!t->incomplete || is_opening(s, t)) ?
	    t :
	    dt_types_find(s->types, module, kind, name);
}

_Noreturn static void unknown_type(struct dt_sema *s, enum dt_tag tag, enum dt_tkind kind, const char *name,
    struct dt_loc loc)
{
	const char *why = dt_types_kernel_missing(s->types, s->arena);
	struct dt_near near;

	dt_near_init(&near, name);
	dt_types_near(s->types, kind, &near);
	dt_fail_hint(s->diag, tag, loc,
	    near.best != NULL ? dt_arena_printf(s->arena, "did you mean `%s`?", near.best) : why,
	    "failed to resolve type %s: Unknown type name", name);
}

/* A typedef name, of this program, a library, the kernel or a process. */
static const struct dt_type *named_type(struct dt_sema *s, const struct dt_specs *sp)
{
	const char *module, *name = sp->tname;
	const struct dt_type *t;

	if (dt_decl_in_process(name)) {
		t = dt_decl_process_type(s, DT_T_TYPEDEF, name, sp->loc);
	} else {
		name = split_module(s, name, sp->loc, &module);
		t = find_type(s, module, DT_T_TYPEDEF, name);
	}
	if (t == NULL)
		/* history: in a typedef a name that is no type is a syntax error */
		unknown_type(s, sp->storage == DT_ST_TYPEDEF ? D_SYNTAX : D_UNKNOWN, DT_T_TYPEDEF, name,
		    sp->loc);
	if (sp->nsigned || sp->nunsigned)
		dt_fail(s->diag, D_DECL_SIGNINT, sp->loc,
		    "attribute signed or unsigned may not be used with type %s", name);
	if (sp->nlong || sp->nshort)
		dt_fail(s->diag, D_DECL_LONGINT, sp->loc, "attribute %s may not be used with type %s",
		    sp->nlong ? "long" : "short", name);
	return t;
}

/* ---- basic types ---- */

/* Refuses combinations of signed, unsigned, short and long that C refuses. */
static void check_attributes(struct dt_sema *s, const struct dt_specs *sp)
{
	unsigned sign = (unsigned)sp->nsigned + sp->nunsigned;

	if (sign > 1 || sp->nshort > 1 || sp->nlong > 2 || (sp->nshort && sp->nlong))
		dt_fail(s->diag, D_DECL_COMBO, sp->loc, "invalid type combination");
	if (sp->base == DT_B_VOID && (sign || sp->nshort || sp->nlong))
		dt_fail(s->diag, D_DECL_VOIDATTR, sp->loc, "invalid attributes on void type");
	if (sp->base == DT_B_CHAR && (sp->nshort || sp->nlong))
		dt_fail(s->diag, D_DECL_CHARATTR, sp->loc, "invalid short or long on char type");
	if (sign && sp->base != DT_B_NONE && sp->base != DT_B_CHAR && sp->base != DT_B_INT &&
	    sp->base != DT_B_NAME)
		dt_fail(s->diag, D_DECL_SIGNINT, sp->loc,
		    "attributes signed and unsigned are for integers only");
	if ((sp->nshort || sp->nlong) && sp->base != DT_B_NONE && sp->base != DT_B_INT &&
	    sp->base != DT_B_NAME && !(sp->base == DT_B_DOUBLE && sp->nlong == 1))
		dt_fail(s->diag, D_DECL_LONGINT, sp->loc,
		    "attributes short and long are for int (and long for double) only");
}

/* check_attributes() has refused the combinations that are not in the table. */
static const struct dt_type *basic_type(struct dt_sema *s, const struct dt_specs *sp)
{
	static const char *const ints[2][4] = {
		{ "int", "short", "long", "long long" },
		{ "unsigned int", "unsigned short", "unsigned long", "unsigned long long" },
	};
	unsigned width = sp->nshort ? 1 : sp->nlong ? 1u + sp->nlong : 0;
	const char *name;

	switch (sp->base) {
	case DT_B_VOID: return dt_types_void(s->types);
	case DT_B_STRING: return dt_types_string(s->types);
	case DT_B_CHAR: name = sp->nunsigned ? "unsigned char" : sp->nsigned ? "signed char" : "char"; break;
	case DT_B_FLOAT: name = "float"; break;
	case DT_B_DOUBLE: name = sp->nlong ? "long double" : "double"; break;
	case DT_B_BOOL: name = "_Bool"; break;
	default: name = ints[sp->nunsigned != 0][width]; break;
	}
	return dt_types_basic(s->types, name);
}

/* ---- struct, union, enum ---- */

/* The kind of type that a tag in these specifiers names. */
static enum dt_tkind tag_kind(const struct dt_specs *sp)
{
	return sp->base == DT_B_STRUCT ? DT_T_STRUCT : sp->base == DT_B_UNION ? DT_T_UNION : DT_T_ENUM;
}

/*
 * Returns the type that the body will complete: a forward declaration in the same name space, or a new
 * one.
 */
static struct dt_type *shell_for(struct dt_sema *s, const struct dt_specs *sp)
{
	const struct dt_type *old;

	if (sp->tname == NULL)
		return dt_type_shell(s->types, container(s), tag_kind(sp), NULL);
	if (strchr(sp->tname, '`') != NULL)
		dt_fail(s->diag, D_DECL_SCOPE, sp->loc,
		    "D scoping operator may not be used in a declaration: %s", sp->tname);
	old = dt_types_declared(s->types, container(s), tag_kind(sp), sp->tname);
	if (old != NULL && !old->incomplete)
		dt_fail(s->diag, D_DECL_TYPERED, sp->loc, "type redeclared: %s", sp->tname);
	/* Types are immutable for everyone but their declaration, which is here. */
	return old != NULL ? (struct dt_type *)old :
			     dt_type_shell(s->types, container(s), tag_kind(sp), sp->tname);
}

/* Reads the width of a bit-field into *m. */
static void member_bits(struct dt_sema *s, const struct dt_decl *d, struct dt_member *m)
{
	bool is_signed;
	uint64_t bits = dt_decl_const(s, d->bits, D_DECL_BFCONST, "a bit-field's width", &is_signed);
	const struct dt_type *b = dt_type_base(m->type);

	if (!dt_type_is_integer(b))
		dt_fail(s->diag, D_DECL_BFTYPE, d->loc, "invalid type for bit-field: %s",
		    dt_type_str(s->arena, m->type));
	if ((is_signed && (int64_t)bits < 0) || (bits == 0 && d->name != NULL))
		dt_fail(s->diag, D_DECL_BFCONST, d->bits->loc, "a bit-field's width must be positive");
	if (bits > b->size * 8)
		dt_fail(s->diag, D_DECL_BFSIZE, d->bits->loc,
		    "bit-field is wider (%llu bits) than its type %s", (unsigned long long)bits,
		    dt_type_str(s->arena, m->type));
	m->bit_size = (uint16_t)bits;
}

/* A member needs a name, unless it is an anonymous struct or union or an unnamed bit-field. */
static void check_member(struct dt_sema *s, const struct dt_decl *d, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	if (!is_opening(s, b))
		b = dt_type_complete(s->types, b);
	if (d->name == NULL && d->bits == NULL && !(dt_type_is_sou(b) && d->declr == NULL))
		dt_fail(s->diag, D_DECL_MNAME, d->loc, "a member of a struct or union needs a name");
	if (d->name != NULL && strchr(d->name, '`') != NULL)
		dt_fail(s->diag, D_DECL_SCOPE, d->loc,
		    "D scoping operator may not be used in a member name: %s", d->name);
	if (b->kind == DT_T_VOID || b->kind == DT_T_FUNC)
		dt_fail(s->diag, D_DECL_VOIDOBJ, d->loc, "member %s cannot have type %s",
		    d->name != NULL ? d->name : "", dt_type_str(s->arena, t));
	if (b->incomplete)
		dt_fail(s->diag, D_DECL_INCOMPLETE, d->loc, "incomplete struct/union/enum %s: %s",
		    dt_type_str(s->arena, t), d->name != NULL ? d->name : "");
}

static void add_member(struct dt_sema *s, const struct dt_decl *d, struct dt_member *m, struct dt_map *names)
{
	memset(m, 0, sizeof(*m));
	m->type = dt_decl_type(s, d, DT_DU_MEMBER);
	check_member(s, d, m->type);
	m->name = d->name;
	if (d->name != NULL && dt_map_get(names, d->name) != NULL)
		dt_fail(s->diag, D_DECL_IDRED, d->loc, "duplicate member %s", d->name);
	if (d->name != NULL)
		dt_map_put(names, d->name, m);
	if (d->bits != NULL)
		/* an unnamed :0 is a member too: the layout closes a unit there */
		member_bits(s, d, m);
}

/* Reads a struct or union body. While it is read, the type is on s->opening. */
static const struct dt_type *sou_body(struct dt_sema *s, const struct dt_specs *sp)
{
	struct dt_type *t = shell_for(s, sp);
	struct dt_opening here = { t, s->opening };
	struct dt_member *members;
	struct dt_map names;
	uint32_t n = 0, max = 0;

	dt_map_init(&names, s->arena);
	for (const struct dt_decl *d = sp->members; d != NULL; d = d->next)
		max++;
	members = DT_NEWN(s->arena, struct dt_member, max + 1);
	s->opening = &here;
	for (const struct dt_decl *d = sp->members; d != NULL; d = d->next, n++)
		add_member(s, d, &members[n], &names);
	s->opening = here.next;
	if (!t->incomplete)	/* defined again inside its own body */
		dt_fail(s->diag, D_DECL_TYPERED, sp->loc, "type redeclared: %s", sp->tname);
	if (dt_type_complete_sou(s->types, t, members, n) != 0)
		dt_fail(s->diag, D_DECL_ARRBIG, sp->loc, "%s is too large", dt_type_str(s->arena, t));
	return t;
}

/* Makes an enumerator a global constant. A C header's enumerator gives way to a name that exists. */
static void enumerator_name(struct dt_sema *s, const struct dt_enumerator *e, const struct dt_type *t,
    int64_t value)
{
	struct dt_ident *id = dt_names_peek(s, e->name);

	if (id != NULL && s->cdefs)
		return;
	if (strchr(e->name, '`') != NULL)
		dt_fail(s->diag, D_DECL_SCOPE, e->loc,
		    "D scoping operator may not be used in an enumerator: %s", e->name);
	if (id != NULL)
		dt_fail(s->diag, D_DECL_IDRED, e->loc,
		    "identifier redeclared: enumerator %s is already a global name", e->name);
	id = DT_NEW(s->cc->arena, struct dt_ident);
	id->name = dt_arena_strdup(s->cc->arena, e->name);
	id->kind = DT_ID_ENUM;
	id->type = t;
	id->value = (uint64_t)value;
	id->attr = dt_attr_stable;
	id->loc = e->loc;
	id->library = s->library;
	id->has_attr = dt_pragma_claim(s, id->name, &id->attr, &id->version);
	dt_map_put(&s->cc->globals, id->name, id);
}

/* Reads an enum body; values count up from the last one that was given. */
static const struct dt_type *enum_body(struct dt_sema *s, const struct dt_specs *sp)
{
	struct dt_type *t = shell_for(s, sp);
	struct dt_enumconst *consts;
	int64_t value = -1;
	uint32_t n = 0, max = 0;

	for (const struct dt_enumerator *e = sp->enums; e != NULL; e = e->next)
		max++;
	consts = DT_NEWN(s->arena, struct dt_enumconst, max + 1);
	for (const struct dt_enumerator *e = sp->enums; e != NULL; e = e->next) {
		bool is_signed = true;

		value = e->value != NULL ?
		    (int64_t)dt_decl_const(s, e->value, D_DECL_ENCONST, "an enumerator's value", &is_signed) :
		    value + 1;
		/* GNU C allows enumerators wider than int */
		if (!s->cdefs && (value < INT_MIN || value > INT_MAX || (!is_signed && value < 0)))
			dt_fail(s->diag, D_DECL_ENOFLOW, e->loc,
			    "enumerator %s value is out of the range of int", e->name);
		consts[n].name = e->name;
		consts[n++].value = value;
		enumerator_name(s, e, t, value);
	}
	dt_type_complete_enum(s->types, t, consts, n);
	return t;
}

/* A struct, union or enum: its body, an existing type, or a forward declaration. */
static const struct dt_type *tagged_type(struct dt_sema *s, const struct dt_specs *sp)
{
	const char *module, *name;
	const struct dt_type *t;

	if (sp->nsigned || sp->nunsigned || sp->nshort || sp->nlong)
		dt_fail(s->diag, D_DECL_SIGNINT, sp->loc,
		    "signed, unsigned, short and long do not go with struct, union or enum");
	if (sp->body) {
		t = sp->made != NULL ? sp->made : sp->base == DT_B_ENUM ? enum_body(s, sp) : sou_body(s, sp);
		/* One body makes one type however many declarators share it; the tree is ours by now. */
		((struct dt_specs *)sp)->made = t;
		return t;
	}
	if (dt_decl_in_process(sp->tname))
		return dt_decl_process_type(s, tag_kind(sp), sp->tname, sp->loc);
	name = split_module(s, sp->tname, sp->loc, &module);
	t = find_type(s, module, tag_kind(sp), name);
	if (t != NULL)
		return t;
	if (module != NULL || sp->base == DT_B_ENUM)
		unknown_type(s, D_UNKNOWN, tag_kind(sp), name, sp->loc);
	return dt_type_shell(s->types, container(s), tag_kind(sp), name);
}

/* The type that the specifiers name; declarators are applied to it. */
static const struct dt_type *spec_type(struct dt_sema *s, const struct dt_specs *sp)
{
	const struct dt_type *t;

	check_attributes(s, sp);
	switch (sp->base) {
	case DT_B_NAME: t = named_type(s, sp); break;
	case DT_B_STRUCT: case DT_B_UNION: case DT_B_ENUM: t = tagged_type(s, sp); break;
	default: t = basic_type(s, sp); break;
	}
	return sp->quals != 0 ? dt_type_qual(s->types, t, sp->quals) : t;
}

/* ---- declarators ---- */

/* An array of elem; without a size only if open_ok. */
static const struct dt_type *array_of(struct dt_sema *s, const struct dt_declr *d, const struct dt_type *elem,
    bool open_ok)
{
	const struct dt_type *b = dt_type_complete(s->types, dt_type_base(elem));
	bool is_signed;
	uint64_t n;

	if (b->kind == DT_T_VOID || b->kind == DT_T_FUNC)
		dt_fail(s->diag, D_DECL_VOIDOBJ, d->loc, "array elements cannot have type %s",
		    dt_type_str(s->arena, elem));
	if (d->params != NULL || d->varargs)
		dt_fail(s->diag, D_DECL_DYNOBJ, d->loc,
		    "an associative array cannot be part of another type");
	if (d->size == NULL) {
		if (!open_ok)
			dt_fail(s->diag, D_DECL_ARRNULL, d->loc, "array declaration requires an array size");
		return dt_type_array(s->types, elem, 0);
	}
	n = dt_decl_const(s, d->size, D_DECL_ARRSUB, "an array's size", &is_signed);
	/* GNU C's [0] is as open as [ ] */
	if ((n == 0 && !s->cdefs) || (is_signed && (int64_t)n < 0))
		dt_fail(s->diag, D_DECL_ARRSUB, d->size->loc,
		    "an array's size must be a positive integer constant");
	/* A type's size must fit 32 bits. */
	if (n > UINT_MAX || (b->size != 0 && n > UINT_MAX / b->size))
		dt_fail(s->diag, D_DECL_ARRBIG, d->size->loc, "array is too large: %llu elements",
		    (unsigned long long)n);
	return dt_type_array(s->types, elem, n);
}

/* (void) is an empty list. Arrays among the parameters have become pointers in dt_decl_type(). */
static const struct dt_type *func_of(struct dt_sema *s, const struct dt_declr *d, const struct dt_type *ret)
{
	const struct dt_type *params[64];	/* more than any function of the kernel has */
	unsigned n = 0;

	for (const struct dt_decl *p = d->params; p != NULL; p = p->next) {
		const struct dt_type *t;

		if (p->declr != NULL && p->declr->kind == DT_DR_ARRAY &&
		    (p->declr->params != NULL || p->declr->varargs))
			dt_fail(s->diag, D_DECL_PROTO_TYPE, p->loc,
			    "a parameter of a function cannot be an associative array");
		t = dt_decl_type(s, p, DT_DU_PARAM);
		if (dt_type_is_void(t)) {
			if (n != 0 || p->next != NULL)
				dt_fail(s->diag, D_DECL_PROTO_VOID, p->loc,
				    "void must be the only parameter");
			if (p->name != NULL)
				dt_fail(s->diag, D_DECL_PROTO_NAME, p->loc,
				    "void parameter may not have a name: %s", p->name);
			break;
		}
		if (n == 64)
			dt_fail(s->diag, D_DECL_PROTO_FORM, p->loc, "a function has at most 64 parameters");
		params[n++] = t;
	}
	return dt_type_func(s->types, ret, params, n, d->varargs);
}

/*
 * Applies declarators, innermost first. `open`: the outermost array may be [ ] (members, parameters).
 */
static const struct dt_type *declarator_type(struct dt_sema *s, const struct dt_declr *d,
    const struct dt_type *base, bool open)
{
	const struct dt_type *inner;

	if (d == NULL)
		return base;
	inner = declarator_type(s, d->next, base, false);
	switch (d->kind) {
	/* What a pointer of a process leads to is in that process. */
	case DT_DR_PTR:
		inner = dt_type_ptr(s->types,
		    dt_type_of_process(base) ? dt_type_qual(s->types, inner, DT_TQ_USERLAND) : inner);
		return d->quals != 0 ? dt_type_qual(s->types, inner, d->quals) : inner;
	case DT_DR_ARRAY:
		return array_of(s, d, inner, open);
	default:
		return func_of(s, d, inner);
	}
}

/* C allows register here and nothing else. */
static void check_param(struct dt_sema *s, const struct dt_decl *d)
{
	if (d->specs->storage != DT_ST_NONE && d->specs->storage != DT_ST_REGISTER)
		dt_fail(s->diag, D_DECL_PARMCLASS, d->loc, "inappropriate storage class for a parameter");
}

/* The type that a declaration gives its name. `use` says where it is: what is allowed differs. */
const struct dt_type *dt_decl_type(struct dt_sema *s, const struct dt_decl *d, enum dt_decl_use use)
{
	bool open = use == DT_DU_MEMBER || use == DT_DU_PARAM || use == DT_DU_TYPENAME ||
	    use == DT_DU_TYPEDEF;
	const struct dt_type *t;

	if (use == DT_DU_PARAM)
		check_param(s, d);
	t = declarator_type(s, d->declr, spec_type(s, d->specs), open);
	if (use == DT_DU_PARAM && dt_type_base(t)->kind == DT_T_ARRAY)
		return dt_type_ptr(s->types, dt_type_base(t)->ref);	/* as in C */
	return t;
}

const struct dt_type *dt_sema_type(struct dt_sema *s, const struct dt_tname *t)
{
	return dt_decl_type(s, t->decl, DT_DU_TYPENAME);
}
