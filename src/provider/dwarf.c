/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns debugging data into D types. The members of a struct are read when one is asked for. Members are
 * where the data say, qualifiers are dropped, and what pointers lead to is in the process. Depth and number
 * of types are limited, because the data are hostile.
 */
#include "provider/dwarf_impl.h"
#include "base/count.h"
#include "machine/machine.h"

#include "base/diag.h"
#include "types/table.h"

#include <dwarf.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 40, TYPES_MAX = 20000, MEMBERS_MAX = 4096, PARAMS_MAX = 24, MET_MAX = 8000000 };

static const char HOME[] = "process";	/* of all types here: none of the kernel's or of D */

/* ---- types ---- */

/* A type by name: the first definition found, or a declaration */
struct named {
	Dwarf_Die die;
	bool defined;
};

static const struct dt_type *convert(struct dt_dwarf *d, Dwarf_Die *die, unsigned depth);

static bool attr_number(struct dt_dwarf *d, Dwarf_Die *die, unsigned name, uint64_t *v)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (d->attr(die, name, &a) == NULL || d->formudata(&a, &w) != 0)
		return false;
	*v = w;
	return true;
}

/* The target of DW_AT_type; void if there is none. NULL: unknown. */
static const struct dt_type *type_of(struct dt_dwarf *d, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Attribute a;
	Dwarf_Die to;

	if (d->attr(die, DW_AT_type, &a) == NULL)
		return dt_types_void(d->p->types);
	if (depth > DEPTH_MAX || d->formref(&a, &to) == NULL)
		return NULL;
	return convert(d, &to, depth + 1);
}

static const struct dt_type *base(struct dt_dwarf *d, Dwarf_Die *die)
{
	struct dt_types *types = d->p->types;
	const char *name = d->diename(die);
	int size = d->bytesize(die);
	uint64_t kind = 0;

	if (!attr_number(d, die, DW_AT_encoding, &kind) || (size != 1 && size != 2 && size != 4 && size != 8))
		return NULL;
	switch (kind) {
	case DW_ATE_boolean:
		return size == 1 ? dt_types_basic(types, "_Bool") :
				   dt_types_sized(types, (unsigned)size, false);
	case DW_ATE_signed_char: case DW_ATE_unsigned_char: case DW_ATE_UTF:
		/* the machine decides whether char is signed */
		if (size == 1 && name != NULL && strcmp(name, "char") == 0)
			return dt_types_basic(types, "char");
		return size == 1 && kind != DW_ATE_UTF ?
		    dt_types_basic(types, kind == DW_ATE_signed_char ? "char" : "unsigned char") :
		    dt_types_sized(types, (unsigned)size, false);
	case DW_ATE_float: return dt_types_basic(types, size == 4 ? "float" : "double");
	case DW_ATE_signed: return dt_types_sized(types, (unsigned)size, true);
	default: return dt_types_sized(types, (unsigned)size, false);
	}
}

static const struct dt_type *pointer_type(struct dt_dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const struct dt_type *to = type_of(d, die, depth);

	if (to == NULL)
		to = dt_types_void(d->p->types);
	return dt_type_ptr(d->p->types, dt_type_qual(d->p->types, to, DT_TQ_USERLAND));
}

/* One dimension; further ones are its elements. */
static const struct dt_type *array_type(struct dt_dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const struct dt_type *elem = type_of(d, die, depth);
	uint64_t n = 1, dim;
	Dwarf_Die sub;

	if (elem == NULL || dt_type_is_void(elem) || d->child(die, &sub) != 0)
		return NULL;
	do {
		if (d->tag(&sub) != DW_TAG_subrange_type)
			continue;
		if (attr_number(d, &sub, DW_AT_upper_bound, &dim))
			dim++;
		else if (!attr_number(d, &sub, DW_AT_count, &dim))
			dim = 0;
		if (dim > UINT32_MAX || __builtin_mul_overflow(n, dim, &n) || n > UINT32_MAX)
			return NULL;
	} while (d->siblingof(&sub, &sub) == 0);
	return dt_type_array(d->p->types, elem, n);
}

/* The definition is not searched for: structs that contain each other would never end. */
static bool declared_only(const struct dt_type *t)
{
	for (t = dt_type_base(t); t->kind == DT_T_ARRAY; t = dt_type_base(t->ref))
		;
	return t->incomplete;
}

/* False: it has no fixed place, or no type that we know; the struct then lacks it. */
static bool read_member(struct dt_dwarf *d, Dwarf_Die *die, uint64_t size, unsigned depth,
    struct dt_member *m)
{
	uint64_t at = 0, bits = 0, bit_at = 0;

	*m = (struct dt_member){ .name = d->diename(die), .type = type_of(d, die, depth) };
	if (m->type == NULL || dt_type_is_void(m->type) || declared_only(m->type) ||
	    (m->name == NULL && !dt_type_is_sou(m->type)))
		return false;
	if (!attr_number(d, die, DW_AT_data_member_location, &at) &&
	    attr_number(d, die, DW_AT_data_bit_offset, &bit_at))
		at = 0;
	(void)attr_number(d, die, DW_AT_bit_size, &bits);
	if (at >= size || bit_at >= 8 * size || bits > 64 || dt_type_size(d->p->types, m->type) > size)
		return false;
	if (m->name != NULL)
		m->name = dt_arena_strdup(dt_types_arena(d->p->types), m->name);
	m->bit_off = 8 * at + bit_at;
	m->bit_size = (uint16_t)bits;
	return true;
}

/* A type of its own, once for each place in the data; *known: it exists already. */
static struct dt_type *new_shell(struct dt_dwarf *d, Dwarf_Die *die, enum dt_tkind kind, bool *known)
{
	const char *name = d->diename(die), *key = dt_arena_printf(d->p->arena, "%p", die->addr);
	struct dt_type *t = dt_map_get(&d->made, key);

	*known = t != NULL;
	if (t != NULL || d->ntypes++ > TYPES_MAX)
		return t;
	if (name != NULL)
		name = dt_arena_strdup(dt_types_arena(d->p->types), name);
	t = dt_type_new_shell(d->p->types, HOME, kind, name);
	t->process = true;
	dt_map_put(&d->made, key, t);
	return t;
}

static const struct named *look_up(struct dt_dwarf *, enum dt_tkind, const char *name);

struct body {				/* of a struct or union: read when a member is asked for */
	struct dt_dwarf *d;
	Dwarf_Die die;
};

/* For a type that is only declared, the definition is looked up by name. */
static void load_members(void *ctx, struct dt_type *t)
{
	struct body *body = ctx;
	struct dt_dwarf *d = body->d;
	const struct named *def = t->incomplete && t->name != NULL ? look_up(d, t->kind, t->name) : NULL;
	Dwarf_Die *die = def != NULL ? (Dwarf_Die *)&def->die : &body->die;
	int size = d->bytesize(die);
	DT_VEC(struct dt_member) list = { 0 };
	struct dt_member m;
	Dwarf_Die at;

	if (size <= 0)
		return;			/* an address of it is all there is */
	if (d->child(die, &at) == 0)
		do {
			int tag = d->tag(&at);

			if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && list.n < MEMBERS_MAX &&
			    read_member(d, &at, (uint64_t)size, 0, &m))
				dt_vec_push(d->p->arena, &list, m);
		} while (d->siblingof(&at, &at) == 0);
	dt_type_complete_placed(d->p->types, t, list.v, (uint32_t)list.n, (uint64_t)size);
}

static const struct dt_type *sou(struct dt_dwarf *d, Dwarf_Die *die)
{
	bool known;
	struct dt_type *t = new_shell(d, die, d->tag(die) == DW_TAG_union_type ? DT_T_UNION : DT_T_STRUCT,
	    &known);
	int size = d->bytesize(die);
	struct body *body;

	if (known || t == NULL)
		return t;
	body = DT_NEW(d->p->arena, struct body);
	*body = (struct body){ d, *die };
	dt_type_defer(t, size > 0 ? (uint64_t)size : 0, load_members, body);
	return t;
}

static const struct dt_type *enumeration(struct dt_dwarf *d, Dwarf_Die *die)
{
	DT_VEC(struct dt_enumconst) list = { 0 };
	int size = d->bytesize(die);
	struct dt_type *t;
	Dwarf_Attribute a;
	Dwarf_Sword v;
	Dwarf_Die at;
	bool known;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return NULL;
	t = new_shell(d, die, DT_T_ENUM, &known);
	if (known || t == NULL)
		return t;
	if (d->child(die, &at) == 0)
		do {
			const char *name = d->tag(&at) == DW_TAG_enumerator ? d->diename(&at) : NULL;

			if (name != NULL && list.n < MEMBERS_MAX &&
			    d->attr(&at, DW_AT_const_value, &a) != NULL && d->formsdata(&a, &v) == 0)
				dt_vec_push(d->p->arena, &list, ((struct dt_enumconst){ name, v }));
		} while (d->siblingof(&at, &at) == 0);
	dt_type_complete_enum_sized(d->p->types, t, list.v, (uint32_t)list.n, (uint32_t)size);
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
static const struct dt_type *alias(struct dt_dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const char *name = d->diename(die), *key = dt_arena_printf(d->p->arena, "%p", die->addr);
	const struct dt_type *t = dt_map_get(&d->made, key), *to;

	if (t != NULL)
		return t;
	to = type_of(d, die, depth);
	if (to == NULL || name == NULL || dt_type_is_void(to) || d->ntypes++ > TYPES_MAX)
		return to;
	t = dt_dwarf_named(d->p, to, name);
	dt_map_put(&d->made, key, (void *)t);
	return t;
}

static const struct dt_type *convert(struct dt_dwarf *d, Dwarf_Die *die, unsigned depth)
{
	switch (d->tag(die)) {
	case DW_TAG_base_type: return base(d, die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return pointer_type(d, die, depth);
	case DW_TAG_array_type: return array_type(d, die, depth);
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type: return sou(d, die);
	case DW_TAG_enumeration_type: return enumeration(d, die);
	case DW_TAG_typedef: return alias(d, die, depth);
	case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_restrict_type: case DW_TAG_atomic_type:
		return type_of(d, die, depth);
	case DW_TAG_subroutine_type: return dt_types_void(d->p->types);
	default: return NULL;
	}
}

/* ---- types by name ---- */

static char kind_letter(enum dt_tkind kind)
{
	return kind == DT_T_STRUCT ? 's' : kind == DT_T_UNION ? 'u' : kind == DT_T_ENUM ? 'e' : 't';
}

/* For entries at the outer level; '\\0': not a named type. */
static char tag_letter(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type: case DW_TAG_class_type: return 's';
	case DW_TAG_union_type: return 'u';
	case DW_TAG_enumeration_type: return 'e';
	case DW_TAG_typedef: case DW_TAG_base_type: return 't';
	default: return '\0';
	}
}

static void meet(struct dt_dwarf *d, Dwarf_Die *die)
{
	char letter = tag_letter(d->tag(die)), key[NAME_MAX + 4];
	const char *name = letter != '\0' ? d->diename(die) : NULL;
	bool defined = letter == 't' || d->bytesize(die) > 0;
	struct named *n;

	if (name == NULL || (size_t)snprintf(key, sizeof(key), "%c`%s", letter, name) >= sizeof(key))
		return;			/* D has no word so long */
	n = dt_map_get(&d->names, key);
	if (n != NULL && (n->defined || !defined))
		return;
	if (n == NULL) {
		n = DT_NEW(d->p->arena, struct named);
		dt_map_put(&d->names, key, n);
	}
	*n = (struct named){ *die, defined };
}

/* Reads the next unit of the data. False: there is none, or the limit is reached. */
static bool read_unit(struct dt_dwarf *d)
{
	Dwarf_Die unit, at;

	if (d->reading == NULL || dt_dwarf_cut(d))
		return false;
	if (d->get_units(d->reading, d->unit, &d->unit, NULL, NULL, &unit, NULL) != 0) {
		d->reading = d->reading == d->dw ? d->getalt(d->dw) : NULL;
		d->unit = NULL;
		return d->reading != NULL;
	}
	if (d->child(&unit, &at) == 0)
		do
			meet(d, &at);
		while (++d->nmet < MET_MAX && d->siblingof(&at, &at) == 0);
	return true;
}

bool dt_dwarf_cut(const struct dt_dwarf *d)
{
	return d->nmet >= MET_MAX || d->ntypes > TYPES_MAX;
}

static const struct named *look_up(struct dt_dwarf *d, enum dt_tkind kind, const char *name)
{
	const char *key = dt_arena_printf(d->p->arena, "%c`%s", kind_letter(kind), name);
	const struct named *n;

	while ((n = dt_map_get(&d->names, key)) == NULL || !n->defined)
		if (!read_unit(d))
			break;
	return n;
}

const struct dt_type *dt_dwarf_type(struct dt_dwarf *d, enum dt_tkind kind, const char *name)
{
	const struct named *n = look_up(d, kind, name);
	const struct dt_type *t;
	Dwarf_Die die;

	if (n == NULL)
		return NULL;
	die = n->die;
	t = convert(d, &die, 0);
	return t == NULL || t->process ? t : dt_dwarf_named(d->p, t, name);
}

void dt_dwarf_near(struct dt_dwarf *d, enum dt_tkind kind, struct dt_near *near)
{
	for (uint32_t i = 0; i < d->names.n; i++)
		if (d->names.v[i].key[0] == kind_letter(kind))
			dt_near_offer(near, d->names.v[i].key + 2);
}

/* ---- functions ---- */

struct finding {
	struct dt_dwarf *d;
	uint64_t vaddr;
	Dwarf_Die die;
	bool found;
};

static int is_it(Dwarf_Die *die, void *ctx)
{
	struct finding *f = ctx;
	Dwarf_Addr pc;

	if (f->d->entrypc(die, &pc) != 0 || pc != f->vaddr)
		return DWARF_CB_OK;
	f->die = *die;
	f->found = true;
	return DWARF_CB_ABORT;
}

static bool find_type(struct finding *f)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die cu;

	if (f->d->addrdie(f->d->dw, f->vaddr, &cu) != NULL)
		f->d->getfuncs(&cu, is_it, f, 0);
	for (; !f->found && f->d->nextcu(f->d->dw, at, &next, &header, NULL, NULL, NULL) == 0 && next > at;
	     at = next)
		if (f->d->offdie(f->d->dw, at + header, &cu) != NULL)
			f->d->getfuncs(&cu, is_it, f, 0);
	return f->found;
}

/*
 * How many integer registers are used before the first argument: one for the address of a large result.
 */
static int hidden(struct dt_dwarf *d, const struct dt_object *o, Dwarf_Die *die)
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
 * Integers and pointers come in order. Values in vector registers cannot be read; behind a struct
 * passed by value nothing is certain.
 */
static const struct dt_probe_sig *parameters(struct dt_dwarf *d, Dwarf_Die *die, int word)
{
	struct dt_probe_sig *sig = dt_sig_new(d->p->arena, PARAMS_MAX);
	uint32_t n = 0;
	Dwarf_Die at;

	sig->out = DT_NEWN(d->p->arena, const struct dt_type *, PARAMS_MAX + 1);
	if (d->child(die, &at) == 0)
		do {
			const struct dt_type *t;
			uint64_t result = 0;

			if (d->tag(&at) != DW_TAG_formal_parameter || n == PARAMS_MAX ||
			    /* Go: this is a result */
			    (attr_number(d, &at, DW_AT_variable_parameter, &result) && result != 0))
				continue;
			t = word >= 0 ? type_of(d, &at, 0) : NULL;
			sig->map[n++] = 0;
			if (t != NULL && dt_type_base(t)->kind == DT_T_FLOAT)
				continue;
			if (t == NULL || dt_type_is_sou(t) || word >= 10) {
				word = -1;
				continue;
			}
			sig->map[n - 1] = (uint8_t)word;
			sig->in[word++] = sig->out[n - 1] = t;
		} while (d->siblingof(&at, &at) == 0);
	sig->nout = n;
	return sig;
}

const struct dt_probe_sig *dt_dwarf_entry(struct dt_dwarf *d, const struct dt_object *o, uint64_t vaddr)
{
	struct finding f = { .d = d, .vaddr = vaddr };

	return find_type(&f) ? parameters(d, &f.die, hidden(d, o, &f.die)) : NULL;
}

const struct dt_probe_sig *dt_dwarf_return(struct dt_dwarf *d, uint64_t vaddr)
{
	struct finding f = { .d = d, .vaddr = vaddr };
	struct dt_probe_sig *sig = dt_sig_new(d->p->arena, 2);
	const struct dt_type *t;

	if (!find_type(&f))
		return NULL;
	t = type_of(d, &f.die, 0);
	sig->in[0] = dt_types_sized(d->p->types, 8, false);
	sig->in[1] = t != NULL && !dt_type_is_sou(t) && !dt_type_is_void(t) &&
		dt_type_base(t)->kind != DT_T_FLOAT ?
	    t :
	    NULL;
	return sig;
}
