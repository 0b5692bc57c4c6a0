/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns entries of debugging data into D types. The members of a struct are looked at when one is asked for.
 * Members are where the data say, qualifiers are dropped, and what pointers lead to is in the process. Depth
 * and number of types are limited, because the data are hostile.
 */
#include "provider/dwarf_impl.h"
#include "machine/machine.h"

#include "base/diag.h"
#include "types/table.h"


enum { DEPTH_MAX = 40, TYPES_MAX = 20000 };

static const char HOME[] = "process";	/* of all types here: none of the kernel's or of D */

/* ---- types ---- */

static const struct dt_type *convert(struct dt_dwarf *d, struct dt_dwarf_entry *e, unsigned depth);

/* What it leads to; void if there is nothing. NULL: unknown. */
static const struct dt_type *type_of(struct dt_dwarf *d, const struct dt_die *die, unsigned depth)
{
	struct dt_dwarf_entry *to;

	if (die->type == 0)
		return dt_types_void(d->p->types);
	to = depth <= DEPTH_MAX ? dt_dwarf_by_id(d, die->type) : NULL;
	return to != NULL ? convert(d, to, depth + 1) : NULL;
}

static const char *copied(struct dt_dwarf *d, const char *text)
{
	return text != NULL ? dt_arena_strdup(dt_types_arena(d->p->types), text) : NULL;
}

static bool is_word(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const struct dt_type *base(struct dt_dwarf *d, const struct dt_dwarf_entry *e)
{
	struct dt_types *types = d->p->types;
	const char *name = dt_dwarf_text(e, e->die);
	unsigned size = (unsigned)e->die->value, kind = e->die->detail;

	if (!is_word(e->die->value))
		return NULL;
	switch (kind) {
	case DW_ATE_boolean:
		return size == 1 ? dt_types_basic(types, "_Bool") : dt_types_sized(types, size, false);
	case DW_ATE_signed_char: case DW_ATE_unsigned_char: case DW_ATE_UTF:
		/* the machine decides whether char is signed */
		if (size == 1 && name != NULL && strcmp(name, "char") == 0)
			return dt_types_basic(types, "char");
		return size == 1 && kind != DW_ATE_UTF ?
		    dt_types_basic(types, kind == DW_ATE_signed_char ? "char" : "unsigned char") :
		    dt_types_sized(types, size, false);
	case DW_ATE_float: return dt_types_basic(types, size == 4 ? "float" : "double");
	case DW_ATE_signed: return dt_types_sized(types, size, true);
	default: return dt_types_sized(types, size, false);
	}
}

static const struct dt_type *pointer_type(struct dt_dwarf *d, const struct dt_die *die, unsigned depth)
{
	const struct dt_type *to = type_of(d, die, depth);

	if (to == NULL)
		to = dt_types_void(d->p->types);
	return dt_type_ptr(d->p->types, dt_type_qual(d->p->types, to, DT_TQ_USERLAND));
}

/* One dimension; further ones are its elements. */
static const struct dt_type *array_type(struct dt_dwarf *d, const struct dt_die *die, unsigned depth)
{
	const struct dt_type *elem = type_of(d, die, depth);

	if (elem == NULL || dt_type_is_void(elem) || die->value > UINT32_MAX)
		return NULL;
	return dt_type_array(d->p->types, elem, die->value);
}

/* The definition is not searched for: structs that contain each other would never end. */
static bool declared_only(const struct dt_type *t)
{
	for (t = dt_type_base(t); t->kind == DT_T_ARRAY; t = dt_type_base(t->ref))
		;
	return t->incomplete;
}

/* False: it has no fixed place, or no type that we know; the struct then lacks it. */
static bool read_member(struct dt_dwarf *d, const struct dt_dwarf_entry *e, const struct dt_die *die,
    struct dt_member *m)
{
	uint64_t size = e->die->value;

	*m = (struct dt_member){ .name = dt_dwarf_text(e, die), .type = type_of(d, die, 0) };
	if (m->type == NULL || dt_type_is_void(m->type) || declared_only(m->type) ||
	    (m->name == NULL && !dt_type_is_sou(m->type)))
		return false;
	if (die->value >= 8 * size || die->detail > 64 || dt_type_size(d->p->types, m->type) > size)
		return false;
	m->name = copied(d, m->name);
	m->bit_off = die->value;
	m->bit_size = die->detail;
	return true;
}

/* A type of its own, once for each place in the data; *known: it exists already. */
static struct dt_type *new_shell(struct dt_dwarf *d, struct dt_dwarf_entry *e, enum dt_tkind kind,
    bool *known)
{
	struct dt_type *t;

	*known = e->made != NULL;
	if (e->made != NULL)
		return dt_type_mutable(e->made);
	if (d->ntypes++ > TYPES_MAX)
		return NULL;
	t = dt_type_new_shell(d->p->types, HOME, kind, copied(d, dt_dwarf_text(e, e->die)));
	t->process = true;
	e->made = t;
	return t;
}

static const struct dt_dwarf_entry *look_up(struct dt_dwarf *, enum dt_tkind, const char *name);

struct body {				/* of a struct or union: looked at when a member is asked for */
	struct dt_dwarf *d;
	const struct dt_dwarf_entry *e;
};

/* For a type that is only declared, the definition is looked up by name. */
static void load_members(void *ctx, struct dt_type *t)
{
	struct body *body = ctx;
	struct dt_dwarf *d = body->d;
	const struct dt_dwarf_entry *e = NULL;
	DT_VEC(struct dt_member) list = { 0 };
	struct dt_member m;

	if (t->incomplete && t->name != NULL)
		e = look_up(d, t->kind, t->name);
	if (e == NULL)
		e = body->e;
	if (e->die->value == 0)
		return;			/* an address of it is all there is */
	for (uint32_t i = 0; i < e->die->n && i < DT_DIES_CHILDREN; i++)
		if (read_member(d, e, &e->in->die[e->die->first + i], &m))
			dt_vec_push(d->p->arena, &list, m);
	dt_type_complete_placed(d->p->types, t, list.v, (uint32_t)list.n, e->die->value);
}

static const struct dt_type *sou(struct dt_dwarf *d, struct dt_dwarf_entry *e)
{
	enum dt_tkind kind = e->die->tag == DW_TAG_union_type ? DT_T_UNION : DT_T_STRUCT;
	bool known;
	struct dt_type *t = new_shell(d, e, kind, &known);
	struct body *body;

	if (known || t == NULL)
		return t;
	body = DT_NEW(d->p->arena, struct body);
	*body = (struct body){ d, e };
	dt_type_defer(t, e->die->value, load_members, body);
	return t;
}

static const struct dt_type *enumeration(struct dt_dwarf *d, struct dt_dwarf_entry *e)
{
	DT_VEC(struct dt_enumconst) list = { 0 };
	struct dt_type *t;
	bool known;

	if (!is_word(e->die->value))
		return NULL;
	t = new_shell(d, e, DT_T_ENUM, &known);
	if (known || t == NULL)
		return t;
	for (uint32_t i = 0; i < e->die->n && i < DT_DIES_CHILDREN; i++) {
		const struct dt_die *c = &e->in->die[e->die->first + i];
		const char *name = dt_dwarf_text(e, c);

		if (name != NULL)
			dt_vec_push(d->p->arena, &list,
			    ((struct dt_enumconst){ copied(d, name), (int64_t)c->value }));
	}
	dt_type_complete_enum_sized(d->p->types, t, list.v, (uint32_t)list.n, (uint32_t)e->die->value);
	return t;
}

const struct dt_type *dt_dwarf_named(struct dt_probes *p, const struct dt_type *to, const char *name)
{
	struct dt_type *t = dt_type_mutable(dt_type_new_typedef(p->types, HOME,
	    dt_arena_strdup(dt_types_arena(p->types), name), to));

	t->process = true;
	return t;
}

/* A typedef, once for each place in the data. */
static const struct dt_type *alias(struct dt_dwarf *d, struct dt_dwarf_entry *e, unsigned depth)
{
	const char *name = dt_dwarf_text(e, e->die);
	const struct dt_type *to;

	if (e->made != NULL)
		return e->made;
	to = type_of(d, e->die, depth);
	if (to == NULL || name == NULL || dt_type_is_void(to) || d->ntypes++ > TYPES_MAX)
		return to;
	e->made = dt_dwarf_named(d->p, to, name);
	return e->made;
}

static const struct dt_type *convert(struct dt_dwarf *d, struct dt_dwarf_entry *e, unsigned depth)
{
	switch (e->die->tag) {
	case DW_TAG_base_type: return base(d, e);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return pointer_type(d, e->die, depth);
	case DW_TAG_array_type: return array_type(d, e->die, depth);
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type: return sou(d, e);
	case DW_TAG_enumeration_type: return enumeration(d, e);
	case DW_TAG_typedef: return alias(d, e, depth);
	case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_restrict_type: case DW_TAG_atomic_type:
		return type_of(d, e->die, depth);
	case DW_TAG_subroutine_type: return dt_types_void(d->p->types);
	default: return NULL;
	}
}

/* ---- types by name ---- */

struct named {
	struct dt_dwarf_entry *e;	/* a definition, or a declaration; NULL: neither */
	const char *near;		/* or what is like it, if anything is */
};

static char kind_letter(enum dt_tkind kind)
{
	return kind == DT_T_STRUCT ? 's' : kind == DT_T_UNION ? 'u' : kind == DT_T_ENUM ? 'e' : 't';
}

/* Each name is asked for once. */
static const struct named *name_of(struct dt_dwarf *d, enum dt_tkind kind, const char *name)
{
	const char *key = dt_arena_printf(d->p->arena, "%c`%s", kind_letter(kind), name);
	struct named *n = dt_map_get(&d->names, key);
	struct dt_dies_question q = { .ask = DT_DIES_NAMED, .letter = kind_letter(kind), .name = name };
	const struct dt_dies *dies;

	if (n != NULL)
		return n;
	n = DT_NEW(d->p->arena, struct named);
	n->e = dt_dwarf_ask(d, &q, &dies);
	if (n->e == NULL && dies != NULL) {
		n->near = dies->head.near != 0 ? dies->text + dies->head.near : NULL;
		d->cut |= dies->head.cut != 0;
	}
	dt_map_put(&d->names, key, n);
	return n;
}

static const struct dt_dwarf_entry *look_up(struct dt_dwarf *d, enum dt_tkind kind, const char *name)
{
	return name_of(d, kind, name)->e;
}

bool dt_dwarf_cut(const struct dt_dwarf *d)
{
	return d->cut || d->ntypes > TYPES_MAX;
}

const struct dt_type *dt_dwarf_type(struct dt_dwarf *d, enum dt_tkind kind, const char *name)
{
	struct dt_dwarf_entry *e = name_of(d, kind, name)->e;
	const struct dt_type *t = e != NULL ? convert(d, e, 0) : NULL;

	return t == NULL || t->process ? t : dt_dwarf_named(d->p, t, name);
}

void dt_dwarf_near(struct dt_dwarf *d, enum dt_tkind kind, const char *name, struct dt_near *near)
{
	const struct named *n = name_of(d, kind, name);

	if (n->near != NULL)
		dt_near_offer(near, n->near);
}

/* ---- functions ---- */

static struct dt_dwarf_entry *function_at(struct dt_dwarf *d, uint64_t vaddr)
{
	struct dt_dies_question q = { .ask = DT_DIES_FUNCTION, .at = vaddr };
	struct dt_dwarf_entry *e = dt_dwarf_ask(d, &q, NULL);

	return e != NULL && e->die->tag == DW_TAG_subprogram ? e : NULL;
}

/*
 * How many integer registers are used before the first argument: one for the address of a large result.
 */
static int hidden(struct dt_dwarf *d, const struct dt_object *o, const struct dt_die *die)
{
	const struct dt_machine *m = dt_machine_elf(dt_elf_machine(o->elf));
	const struct dt_type *t = type_of(d, die, 0);

	if (t == NULL)
		return -1;
	if (!dt_type_is_sou(t) || m == NULL || !m->result_takes_argument)
		return 0;
	/* for smaller ones it depends on more than their size */
	return dt_type_size(d->p->types, t) > 16 ? 1 : -1;
}

/*
 * Integers and pointers come in order. Values in vector registers cannot be read; after a struct
 * passed by value nothing is certain.
 */
static const struct dt_probe_sig *parameters(struct dt_dwarf *d, const struct dt_dwarf_entry *e, int word)
{
	struct dt_probe_sig *sig = dt_sig_new(d->p->arena, DT_DIES_PARAMS);

	sig->out = DT_NEWN(d->p->arena, const struct dt_type *, DT_DIES_PARAMS + 1);
	sig->nout = e->die->n < DT_DIES_PARAMS ? e->die->n : DT_DIES_PARAMS;
	for (uint32_t i = 0; i < sig->nout; i++) {
		const struct dt_type *t = word >= 0 ? type_of(d, &e->in->die[e->die->first + i], 0) : NULL;

		sig->map[i] = 0;
		if (t != NULL && dt_type_base(t)->kind == DT_T_FLOAT)
			continue;
		if (t == NULL || dt_type_is_sou(t) || word >= 10) {
			word = -1;
			continue;
		}
		sig->map[i] = (uint8_t)word;
		sig->in[word++] = sig->out[i] = t;
	}
	return sig;
}

const struct dt_probe_sig *dt_dwarf_entry(struct dt_dwarf *d, const struct dt_object *o, uint64_t vaddr)
{
	const struct dt_dwarf_entry *e = function_at(d, vaddr);

	return e != NULL ? parameters(d, e, hidden(d, o, e->die)) : NULL;
}

const struct dt_probe_sig *dt_dwarf_return(struct dt_dwarf *d, uint64_t vaddr)
{
	const struct dt_dwarf_entry *e = function_at(d, vaddr);
	struct dt_probe_sig *sig = dt_sig_new(d->p->arena, 2);
	const struct dt_type *t;

	if (e == NULL)
		return NULL;
	t = type_of(d, e->die, 0);
	sig->in[0] = dt_types_sized(d->p->types, 8, false);
	sig->in[1] = t != NULL && !dt_type_is_sou(t) && !dt_type_is_void(t) &&
		dt_type_base(t)->kind != DT_T_FLOAT ?
	    t :
	    NULL;
	return sig;
}

const struct dt_probe_sig *dt_dwarf_untyped(struct dt_probes *p, const char *why)
{
	struct dt_probe_sig *sig = dt_sig_new(p->arena, DT_DIES_PARAMS);

	sig->why = DT_NEWN(p->arena, const char *, DT_DIES_PARAMS);
	for (uint32_t i = 0; i < DT_DIES_PARAMS; i++)
		sig->why[i] = why;
	return sig;
}
