/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One BTF record comes in, one type goes out. Each record becomes one type, made when it is first met.
 * A record under conversion counts as void, so a loop of records ends there. Structs and enums are
 * shells whose members dt_btf_load() reads. A member that does not lie inside its struct is left out.
 */
#include "types/btf.h"

#include <errno.h>

/* Limits for hostile data: nesting of records, typedefs and qualifiers in a row. */
enum { DEPTH_MAX = 100, MODIFIERS_MAX = 32 };

static const struct dt_type *convert_id(struct dt_types *, struct dt_btf *, uint32_t id, unsigned depth);

/* A number with a size that no machine has becomes void. */
static const struct dt_type *convert_number(struct dt_types *ts, const struct dt_btf *b,
    const struct btf_type *t)
{
	bool is_float = btf_is_float(t);
	unsigned encoding = is_float ? BTF_INT_SIGNED : btf_int_encoding(t);
	const char *name = dt_btf_name(b, t->name_off);

	if (!name || !t->size || t->size > 16 || (t->size & (t->size - 1)))
		return ts->tvoid;
	return dt_types_number(ts,
	    &(struct dt_number){
		.name = name,
		.kind = is_float ? DT_T_FLOAT : DT_T_INT,
		.size = t->size,
		.is_signed = encoding & BTF_INT_SIGNED,
		.is_char = encoding & BTF_INT_CHAR,
		.is_bool = encoding & BTF_INT_BOOL,
	    });
}

static const struct dt_type *convert_typedef(struct dt_types *ts, struct dt_btf *b, const struct btf_type *t,
    unsigned depth)
{
	const char *name = dt_btf_name(b, t->name_off);
	const struct dt_type *to = convert_id(ts, b, t->type, depth);

	return name ? dt_type_new_typedef(ts, b->module, name, to) : to;
}

/* "user" marks user memory; the other tags (rcu, percpu) do not change how memory is read. */
static const struct dt_type *convert_tagged(struct dt_types *ts, struct dt_btf *b, const struct btf_type *t,
    unsigned depth)
{
	const char *tag = dt_btf_name(b, t->name_off);
	const struct dt_type *to = convert_id(ts, b, t->type, depth);

	return tag && !btf_kflag(t) && strcmp(tag, "user") == 0 ? dt_type_qual(ts, to, DT_TQ_USERLAND) : to;
}

static const struct dt_type *convert_array(struct dt_types *ts, struct dt_btf *b, const struct btf_type *t,
    unsigned depth)
{
	const struct btf_array *a = btf_array(t);

	return dt_type_array(ts, convert_id(ts, b, a->type, depth), a->nelems);
}

static const struct dt_type *convert_function(struct dt_types *ts, struct dt_btf *b, const struct btf_type *t,
    unsigned depth)
{
	const struct btf_param *p = btf_params(t);
	uint32_t n = btf_vlen(t);
	bool varargs = n && !p[n - 1].name_off && !p[n - 1].type;	/* BTF's way to write ... */
	const struct dt_type **params, *ret = convert_id(ts, b, t->type, depth);

	n -= varargs;
	params = DT_NEWN(ts->arena, const struct dt_type *, n);
	for (uint32_t i = 0; i < n; i++)
		params[i] = convert_id(ts, b, p[i].type, depth);
	return dt_type_func(ts, ret, params, n, varargs);
}

/* An unnamed or forward-declared struct, union or enum. */
static struct dt_type *new_shell(struct dt_types *ts, struct dt_btf *b, const struct btf_type *t,
    enum dt_tkind kind)
{
	return dt_type_new_shell(ts, b->module, kind, dt_btf_name(b, t->name_off));
}

/* The size is known now; the members are read on first use. */
static const struct dt_type *convert_sou(struct dt_types *ts, struct dt_btf *b, const struct btf_type *t,
    uint32_t id)
{
	struct dt_type *s = new_shell(ts, b, t, btf_is_union(t) ? DT_T_UNION : DT_T_STRUCT);

	s->incomplete = false;
	s->size = t->size;
	*s->lazy = (struct dt_type_lazy){ .from = b, .btf_id = id };
	return s;
}

/* The kind flag tells whether the constants are signed. */
static const struct dt_type *convert_enum(struct dt_types *ts, struct dt_btf *b, const struct btf_type *t,
    uint32_t id)
{
	bool known = t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
	struct dt_type *e = new_shell(ts, b, t, DT_T_ENUM);

	if (!btf_vlen(t))
		return e;
	e->incomplete = false;
	e->size = known ? t->size : 4;
	e->align = (uint32_t)e->size;
	e->is_signed = btf_kflag(t);
	*e->lazy = (struct dt_type_lazy){ .from = b, .btf_id = id, .aligned = true };
	return e;
}

/* Unknown kinds were refused when the data were opened; what is no type becomes void. */
static const struct dt_type *convert_by_kind(struct dt_types *ts, struct dt_btf *b, uint32_t id,
    unsigned depth)
{
	const struct btf_type *t = dt_btf_record(b, id);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
		return convert_number(ts, b, t);
	case BTF_KIND_PTR:
		return dt_type_ptr(ts, convert_id(ts, b, t->type, depth));
	case BTF_KIND_ARRAY:
		return convert_array(ts, b, t, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return convert_sou(ts, b, t, id);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return convert_enum(ts, b, t, id);
	case BTF_KIND_FWD:
		return new_shell(ts, b, t, btf_kflag(t) ? DT_T_UNION : DT_T_STRUCT);
	case BTF_KIND_TYPEDEF:
		return convert_typedef(ts, b, t, depth);
	case BTF_KIND_CONST:
		return dt_type_qual(ts, convert_id(ts, b, t->type, depth), DT_TQ_CONST);
	case BTF_KIND_VOLATILE:
		return dt_type_qual(ts, convert_id(ts, b, t->type, depth), DT_TQ_VOLATILE);
	case BTF_KIND_RESTRICT:
		return dt_type_qual(ts, convert_id(ts, b, t->type, depth), DT_TQ_RESTRICT);
	case BTF_KIND_TYPE_TAG:
		return convert_tagged(ts, b, t, depth);
	case BTF_KIND_FUNC_PROTO:
		return convert_function(ts, b, t, depth);
	default:			/* FUNC, VAR, DATASEC, DECL_TAG are no types */
		return ts->tvoid;
	}
}

/* The module that an id belongs to; NULL: none. */
static struct dt_btf *module_of_id(struct dt_btf *b, uint32_t id)
{
	while (b && id < b->first)
		b = b->base;
	return b && id < b->end ? b : NULL;
}

/* Functions and variables have ids like types, but none may be used as one. */
static bool is_symbol(const struct btf_type *t)
{
	return btf_is_func(t) || btf_is_var(t);
}

static const struct dt_type *convert_id(struct dt_types *ts, struct dt_btf *from, uint32_t id, unsigned depth)
{
	struct dt_btf *b = module_of_id(from, id);
	const struct dt_type **slot;

	if (!b || depth >= DEPTH_MAX || is_symbol(dt_btf_record(b, id)))
		return ts->tvoid;
	slot = &b->by_id[id - b->first];
	if (!*slot) {
		*slot = ts->tvoid;	/* ends a loop that comes back here */
		*slot = convert_by_kind(ts, b, id, depth + 1);
	}
	return *slot;
}

const struct dt_type *dt_btf_convert(struct dt_types *ts, struct dt_btf *b, uint32_t id)
{
	return convert_id(ts, b, id, 0);
}

/* ---- symbols ---- */

/* Symbols get the names of their parameters, which shared function types do not have. */
static const struct dt_type *function_symbol(struct dt_types *ts, struct dt_btf *b,
    const struct btf_type *func)
{
	const struct dt_type *type = convert_id(ts, b, func->type, 0);
	struct dt_btf *home = module_of_id(b, func->type);
	const struct btf_param *p;
	const char **names;

	if (type->kind != DT_T_FUNC || !type->nparams || !home)
		return type;
	p = btf_params(dt_btf_record(home, func->type));
	names = DT_NEWN(ts->arena, const char *, type->nparams);
	for (uint32_t i = 0; i < type->nparams; i++)
		names[i] = dt_btf_name(home, p[i].name_off);
	return dt_type_func_named(ts, type, names);
}

/* by_id serves symbols as well as types; convert_id() keeps the two apart. */
const struct dt_type *dt_btf_convert_symbol(struct dt_types *ts, struct dt_btf *b, uint32_t id)
{
	const struct btf_type *t = dt_btf_record(b, id);
	const struct dt_type **slot = &b->by_id[id - b->first];

	if (!*slot)
		*slot = btf_is_func(t) ? function_symbol(ts, b, t) : convert_id(ts, b, t->type, 0);
	return *slot;
}

/* ---- members ---- */

/*
 * Without the kind flag, a bit-field is a member whose integer type has fewer bits than its bytes hold.
 */
static void old_bits(struct dt_btf *from, uint32_t id, struct dt_member *m)
{
	const struct btf_type *t;
	struct dt_btf *b;

	for (unsigned i = 0; i < MODIFIERS_MAX; i++, id = t->type) {
		b = module_of_id(from, id);
		if (!b)
			return;
		t = dt_btf_record(b, id);
		if (!btf_is_mod(t) && !btf_is_typedef(t))
			break;
	}
	b = module_of_id(from, id);
	t = b ? dt_btf_record(b, id) : NULL;
	if (!t || !btf_is_int(t) || btf_int_bits(t) >= t->size * 8)
		return;
	m->bit_off += btf_int_offset(t);
	m->bit_size = btf_int_bits(t);
}

/* Does the member lie inside its struct? */
static bool member_fits(struct dt_types *ts, const struct dt_type *s, const struct dt_member *m)
{
	const struct dt_type *t = dt_type_base(m->type);
	uint64_t size = dt_type_size(ts, t), bits = s->size * 8;

	if (m->bit_size)
		return dt_type_is_integer(t) && m->bit_size <= size * 8 && m->bit_size <= 64 &&
		    m->bit_off + m->bit_size <= bits;
	if (t->kind == DT_T_ARRAY && t->nelems && !size && dt_type_size(ts, t->ref))
		return false;		/* the size overflows */
	return m->bit_off % 8 == 0 && m->bit_off <= bits && size <= (bits - m->bit_off) / 8;
}

/*
 * Members that do not lie inside of their struct are left out: type data may lie, and reads rely on
 * them.
 */
static void load_members(struct dt_types *ts, const struct dt_type *s, struct dt_btf *b,
    const struct btf_type *t)
{
	const struct btf_member *from = btf_members(t);
	struct dt_type_lazy *lazy = s->lazy;
	uint32_t n = btf_vlen(t), kept = 0;
	struct dt_member *to = DT_NEWN(ts->arena, struct dt_member, n);

	for (uint32_t i = 0; i < n; i++) {
		struct dt_member m = { .name = dt_btf_name(b, from[i].name_off),
			.type = dt_btf_convert(ts, b, from[i].type) };

		m.bit_off = btf_member_bit_offset(t, i);
		m.bit_size = (uint16_t)btf_member_bitfield_size(t, i);
		if (!btf_kflag(t))
			old_bits(b, from[i].type, &m);
		if (member_fits(ts, s, &m) && (m.name || dt_type_is_sou(m.type)))
			to[kept++] = m;
	}
	lazy->members = to;
	lazy->n = kept;
}

/*
 * Constants of 32 bits are extended by the sign of the enum, which is known before its constants are
 * read.
 */
static void load_enums(struct dt_types *ts, const struct dt_type *e, struct dt_btf *b,
    const struct btf_type *t)
{
	struct dt_enumconst *to = DT_NEWN(ts->arena, struct dt_enumconst, btf_vlen(t));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		bool wide = btf_is_enum64(t);
		uint32_t off = wide ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;
		struct dt_enumconst c = { .name = dt_btf_name(b, off) };

		if (wide)
			c.value = (int64_t)btf_enum64_value(&btf_enum64(t)[i]);
		else
			c.value = e->is_signed ? btf_enum(t)[i].val : (int64_t)(uint32_t)btf_enum(t)[i].val;
		if (c.name)
			to[kept++] = c;
	}
	e->lazy->enums = to;
	e->lazy->n = kept;
}

/* The type's lazy part must have `from` set. */
void dt_btf_load(struct dt_types *ts, const struct dt_type *type)
{
	struct dt_btf *b = type->lazy->from;
	const struct btf_type *t = dt_btf_record(b, type->lazy->btf_id);

	type->lazy->from = NULL;	/* first: a type that contains itself then sees no members and ends */
	if (type->kind == DT_T_ENUM)
		load_enums(ts, type, b, t);
	else
		load_members(ts, type, b, t);
}
