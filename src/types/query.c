/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions about types. A chain of typedefs, qualifiers, pointers and arrays always ends, because
 * types are built from older ones. A struct may contain itself if type data lie, so walks over members
 * are bounded.
 */
#include "types/table.h"

enum {
	MEMBER_DEPTH = 32,		/* structs inside each other */
	MEMBER_BUDGET = 1 << 16,	/* members examined for one name */
};

/* The chain ends: a typedef or qualifier refers to an older type. */
const struct dt_type *dt_type_base(const struct dt_type *t)
{
	while (t->kind == DT_T_TYPEDEF || t->kind == DT_T_QUAL)
		t = t->ref;
	return t;
}

/* An array whose size overflows has size 0. */
uint64_t dt_type_size(struct dt_types *ts, const struct dt_type *type)
{
	const struct dt_type *t = dt_type_base(type);
	uint64_t n = 1, size;

	for (; t->kind == DT_T_ARRAY; t = dt_type_base(t->ref))
		if (__builtin_mul_overflow(n, t->nelems, &n))
			return 0;
	t = dt_type_complete(ts, t);
	return __builtin_mul_overflow(n, t->size, &size) ? 0 : size;
}

static uint32_t align_at(struct dt_types *, const struct dt_type *, unsigned depth);

/*
 * Type data do not tell the alignment: it is the largest of the members, or 1 if the offsets show that
 * the struct is packed.
 */
static uint32_t align_of_members(struct dt_types *ts, const struct dt_type *t, unsigned depth)
{
	uint32_t n, align = 1;
	const struct dt_member *m = dt_type_members(ts, t, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = align_at(ts, m[i].type, depth);

		if (!m[i].bit_size && m[i].bit_off % ((uint64_t)a * 8))
			return 1;
		align = a > align ? a : align;
	}
	return t->size % align ? 1 : align;
}

/* The alignment is computed on first use and stored in the type, which is const for everybody else. */
static uint32_t align_at(struct dt_types *ts, const struct dt_type *type, unsigned depth)
{
	const struct dt_type *t = dt_type_base(type);

	while (t->kind == DT_T_ARRAY)
		t = dt_type_base(t->ref);
	t = dt_type_complete(ts, t);
	if (t->lazy && !t->lazy->aligned && depth < MEMBER_DEPTH) {
		/* Set first: a struct that contains itself then counts as 1 */
		t->lazy->aligned = true;
		dt_type_mutable(t)->align = align_of_members(ts, t, depth + 1);
	}
	return t->align ? t->align : 1;
}

uint32_t dt_type_align(struct dt_types *ts, const struct dt_type *type)
{
	return align_at(ts, type, 0);
}

/* The completed type with its members read. */
static const struct dt_type *with_members(struct dt_types *ts, const struct dt_type *type)
{
	const struct dt_type *t = dt_type_complete(ts, type);

	if (t->lazy && t->lazy->from)
		dt_btf_load(ts, t);
	dt_type_load(t);
	return t;
}

/* The members live as long as the table. NULL and 0: no struct or union, or one without members. */
const struct dt_member *dt_type_members(struct dt_types *ts, const struct dt_type *type, uint32_t *n)
{
	const struct dt_type *t = with_members(ts, type);

	*n = dt_type_is_sou(t) ? t->lazy->n : 0;
	return *n ? t->lazy->members : NULL;
}

const struct dt_enumconst *dt_type_enums(struct dt_types *ts, const struct dt_type *type, uint32_t *n)
{
	const struct dt_type *t = with_members(ts, type);

	*n = t->kind == DT_T_ENUM ? t->lazy->n : 0;
	return *n ? t->lazy->enums : NULL;
}

/* One search for a member by name. */
struct search {
	struct dt_types *types;
	const char *name;
	/* The structs being searched, each inside the one before */
	const struct dt_type *path[MEMBER_DEPTH];
	unsigned depth, budget;
};

/* A struct inside of itself, which only type data that lie can have. */
static bool is_on_path(const struct search *s, const struct dt_type *t)
{
	for (unsigned i = 0; i < s->depth; i++)
		if (s->path[i] == t)
			return true;
	return false;
}

/* Direct members first, then those of anonymous structs: an outer name hides an inner one. */
static bool member_by_name(struct search *s, const struct dt_type *type, struct dt_member *out)
{
	const struct dt_type *t = dt_type_complete(s->types, type);
	uint32_t n;
	const struct dt_member *m = dt_type_members(s->types, t, &n);

	if (s->depth == MEMBER_DEPTH || is_on_path(s, t))
		return false;
	for (uint32_t i = 0; i < n; i++, s->budget--) {
		if (!s->budget)
			return false;
		if (m[i].name && strcmp(m[i].name, s->name) == 0) {
			*out = m[i];
			return true;
		}
	}
	s->path[s->depth++] = t;
	for (uint32_t i = 0; i < n && s->budget; i++) {
		if (m[i].name || !dt_type_is_sou(m[i].type) || !member_by_name(s, m[i].type, out))
			continue;
		out->bit_off += m[i].bit_off;
		return true;
	}
	s->depth--;
	return false;
}

bool dt_type_member(struct dt_types *ts, const struct dt_type *t, const char *name, struct dt_member *out)
{
	struct search s = { .types = ts, .name = name, .budget = MEMBER_BUDGET };

	return *name && member_by_name(&s, t, out);
}

bool dt_type_is_void(const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_VOID;
}

bool dt_type_is_integer(const struct dt_type *t)
{
	enum dt_tkind kind = dt_type_base(t)->kind;

	return kind == DT_T_INT || kind == DT_T_ENUM;
}

bool dt_type_is_scalar(const struct dt_type *t)
{
	return dt_type_is_integer(t) || dt_type_base(t)->kind == DT_T_PTR;
}

bool dt_type_is_pointer(const struct dt_type *t)
{
	enum dt_tkind kind = dt_type_base(t)->kind;

	return kind == DT_T_PTR || kind == DT_T_ARRAY;
}

bool dt_type_is_sou(const struct dt_type *t)
{
	enum dt_tkind kind = dt_type_base(t)->kind;

	return kind == DT_T_STRUCT || kind == DT_T_UNION;
}

bool dt_type_is_string(const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_STRING;
}

bool dt_type_is_stringlike(const struct dt_type *type)
{
	const struct dt_type *t = dt_type_base(type);

	if (t->kind == DT_T_STRING)
		return true;
	if (t->kind != DT_T_PTR && t->kind != DT_T_ARRAY)
		return false;
	t = dt_type_base(t->ref);
	return t->kind == DT_T_INT && t->is_char;
}

bool dt_type_is_signed(const struct dt_type *type)
{
	const struct dt_type *t = dt_type_base(type);

	return (t->kind == DT_T_INT || t->kind == DT_T_ENUM) && t->is_signed;
}

bool dt_type_is_user(const struct dt_type *t)
{
	bool element = false;

	for (;; t = t->ref) {
		if (t->kind == DT_T_QUAL && t->user)
			return true;
		if (t->kind == DT_T_ARRAY)
			/* an array of user pointers need not be in user memory itself */
			element = true;
		else if (t->kind != DT_T_QUAL && t->kind != DT_T_TYPEDEF)
			return t->kind == DT_T_PTR && t->user && !element;
	}
}

bool dt_type_of_process(const struct dt_type *t)
{
	for (;; t = t->ref) {
		if (t->process)
			return true;
		if (t->kind != DT_T_QUAL && t->kind != DT_T_TYPEDEF && t->kind != DT_T_PTR &&
		    t->kind != DT_T_ARRAY)
			return false;
	}
}

bool dt_type_is_byref(const struct dt_type *type)
{
	const struct dt_type *t = dt_type_base(type);

	switch (t->kind) {
	case DT_T_STRUCT:
	case DT_T_UNION:
	case DT_T_ARRAY:
	case DT_T_STRING:
	case DT_T_FUNC:
	case DT_T_STACK:
	case DT_T_SYMADDR:
	case DT_T_USYMADDR:
	case DT_T_DYN:
		return true;
	case DT_T_FLOAT:
	case DT_T_INT:			/* __int128 does not fit a register either */
		return t->size > 8;
	default:
		return false;
	}
}

/* Function types with parameter names are not interned. */
static bool same_func(const struct dt_type *a, const struct dt_type *b)
{
	return a->ref == b->ref && a->nparams == b->nparams && a->varargs == b->varargs &&
	    (!a->nparams || memcmp(a->params, b->params, a->nparams * sizeof(*a->params)) == 0);
}

bool dt_type_same(const struct dt_type *a, const struct dt_type *b)
{
	a = dt_type_base(a);
	b = dt_type_base(b);
	return a == b || (a->kind == DT_T_FUNC && b->kind == DT_T_FUNC && same_func(a, b));
}
