/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debugging data to types of D. It is read by libdw, which is loaded when args[ ] of a function in a process is first used: starting costs
 * nothing where it is not. Members are where the data say, qualifiers are left out, and what
 * pointers lead to is in the process. Depth and number of types are limited: the data are hostile.
 */
#include "provider/dwarf.h"

#include "base/map.h"
#include "provider/provider.h"
#include "types/table.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH_MAX = 40, TYPES_MAX = 20000, MEMBERS_MAX = 4096, PARAMS_MAX = 24 };

struct dt_dwarf {
	void *lib;
	int fd;
	Dwarf *dw;
	uint32_t ntypes;
	struct dt_map made;		/* where it stands in the data -> type, of structs and enums */
	bool made_ready;
	/* of libdw */
	Dwarf *(*begin)(int, Dwarf_Cmd);
	int (*end)(Dwarf *);
	int (*nextcu)(Dwarf *, Dwarf_Off, Dwarf_Off *, size_t *, Dwarf_Off *, uint8_t *, uint8_t *);
	Dwarf_Die *(*offdie)(Dwarf *, Dwarf_Off, Dwarf_Die *);
	ptrdiff_t (*getfuncs)(Dwarf_Die *, int (*)(Dwarf_Die *, void *), void *, ptrdiff_t);
	Dwarf_Die *(*addrdie)(Dwarf *, Dwarf_Addr, Dwarf_Die *);
	int (*entrypc)(Dwarf_Die *, Dwarf_Addr *);
	const char *(*diename)(Dwarf_Die *);
	int (*tag)(Dwarf_Die *);
	int (*child)(Dwarf_Die *, Dwarf_Die *);
	int (*siblingof)(Dwarf_Die *, Dwarf_Die *);
	Dwarf_Attribute *(*attr)(Dwarf_Die *, unsigned, Dwarf_Attribute *);
	Dwarf_Die *(*formref)(Dwarf_Attribute *, Dwarf_Die *);
	int (*formudata)(Dwarf_Attribute *, Dwarf_Word *);
	int (*bytesize)(Dwarf_Die *);
	int (*formsdata)(Dwarf_Attribute *, Dwarf_Sword *);
};

/* ---- the library and the file ---- */

static bool symbols(struct dt_dwarf *d)
{
	const struct { const char *name; void *to; } rows[] = {
		{ "dwarf_begin", &d->begin }, { "dwarf_end", &d->end }, { "dwarf_nextcu", &d->nextcu }, { "dwarf_offdie", &d->offdie },
		{ "dwarf_getfuncs", &d->getfuncs }, { "dwarf_addrdie", &d->addrdie }, { "dwarf_entrypc", &d->entrypc },
		{ "dwarf_diename", &d->diename }, { "dwarf_tag", &d->tag }, { "dwarf_child", &d->child },
		{ "dwarf_siblingof", &d->siblingof }, { "dwarf_attr_integrate", &d->attr }, { "dwarf_formref_die", &d->formref },
		{ "dwarf_formudata", &d->formudata }, { "dwarf_bytesize", &d->bytesize }, { "dwarf_formsdata", &d->formsdata },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *f = dlsym(d->lib, rows[i].name);

		if (f == NULL)
			return false;
		memcpy(rows[i].to, &f, sizeof(f));
	}
	return true;
}

static bool open_fd(struct dt_dwarf *d, int fd)
{
	d->fd = fd;
	d->dw = fd >= 0 ? d->begin(fd, DWARF_C_READ) : NULL;
	if (d->dw == NULL && fd >= 0)
		close(fd);
	return d->dw != NULL;
}

/* In the file itself, or in its debug file. What several of those share (.gnu_debugaltlink) libdw finds. */
static bool open_data(struct dt_dwarf *d, struct dt_object *o)
{
	if (dt_elf_has_section(o->elf, ".debug_info") && open_fd(d, fcntl(o->fd, F_DUPFD_CLOEXEC, 3)))
		return true;
	return open_fd(d, dt_elf_debug_fd(o->elf));
}

struct dt_dwarf *dt_dwarf_of(struct dt_object *o)
{
	struct dt_dwarf *d;

	if (o->dwarf_asked)
		return o->dwarf;
	o->dwarf_asked = true;
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->lib = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (d->lib != NULL && symbols(d) && open_data(d, o))
		return o->dwarf = d;
	if (d->lib != NULL)
		dlclose(d->lib);
	free(d);
	return NULL;
}

void dt_dwarf_close(struct dt_dwarf *d)
{
	if (d == NULL)
		return;
	d->end(d->dw);
	close(d->fd);
	dlclose(d->lib);
	free(d);
}

/* ---- types ---- */

struct converting {
	struct dt_dwarf *d;
	struct dt_probes *p;
	const char *module;
};

static const struct dt_type *convert(struct converting *c, Dwarf_Die *die, unsigned depth);

static bool number(struct dt_dwarf *d, Dwarf_Die *die, unsigned name, uint64_t *v)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (d->attr(die, name, &a) == NULL || d->formudata(&a, &w) != 0)
		return false;
	*v = w;
	return true;
}

/* What DW_AT_type leads to; without one it is void. NULL: it is not known. */
static const struct dt_type *type_of(struct converting *c, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Attribute a;
	Dwarf_Die to;

	if (c->d->attr(die, DW_AT_type, &a) == NULL)
		return dt_types_void(c->p->types);
	if (depth > DEPTH_MAX || c->d->formref(&a, &to) == NULL)
		return NULL;
	return convert(c, &to, depth + 1);
}

static const struct dt_type *base(struct converting *c, Dwarf_Die *die)
{
	struct dt_types *types = c->p->types;
	const char *name = c->d->diename(die);
	int size = c->d->bytesize(die);
	uint64_t kind = 0;

	if (!number(c->d, die, DW_AT_encoding, &kind) || (size != 1 && size != 2 && size != 4 && size != 8))
		return NULL;
	switch (kind) {
	case DW_ATE_boolean: return size == 1 ? dt_types_basic(types, "_Bool") : dt_types_sized(types, (unsigned)size, false);
	case DW_ATE_signed_char: case DW_ATE_unsigned_char: case DW_ATE_UTF:
		if (size == 1 && name != NULL && strcmp(name, "char") == 0)	/* whether it has a sign is the machine's */
			return dt_types_basic(types, "char");
		return size == 1 && kind != DW_ATE_UTF ? dt_types_basic(types, kind == DW_ATE_signed_char ? "char" : "unsigned char") :
		    dt_types_sized(types, (unsigned)size, false);
	case DW_ATE_float: return dt_types_basic(types, size == 4 ? "float" : "double");
	case DW_ATE_signed: return dt_types_sized(types, (unsigned)size, true);
	default: return dt_types_sized(types, (unsigned)size, false);
	}
}

static const struct dt_type *pointer(struct converting *c, Dwarf_Die *die, unsigned depth)
{
	const struct dt_type *to = type_of(c, die, depth);

	if (to == NULL)
		to = dt_types_void(c->p->types);
	return dt_type_ptr(c->p->types, dt_type_qual(c->p->types, to, DT_TQ_USERLAND));
}

/* One dimension; more of them are one behind the other. */
static const struct dt_type *array(struct converting *c, Dwarf_Die *die, unsigned depth)
{
	const struct dt_type *elem = type_of(c, die, depth);
	uint64_t n = 1, dim;
	Dwarf_Die sub;

	if (elem == NULL || dt_type_is_void(elem) || c->d->child(die, &sub) != 0)
		return NULL;
	do {
		if (c->d->tag(&sub) != DW_TAG_subrange_type)
			continue;
		if (number(c->d, &sub, DW_AT_upper_bound, &dim))
			dim++;
		else if (!number(c->d, &sub, DW_AT_count, &dim))
			dim = 0;
		if (dim > UINT32_MAX || __builtin_mul_overflow(n, dim, &n) || n > UINT32_MAX)
			return NULL;
	} while (c->d->siblingof(&sub, &sub) == 0);
	return dt_type_array(c->p->types, elem, n);
}

/* False: it is at no fixed place, or of no type that we have; the struct has it not. */
static bool member(struct converting *c, Dwarf_Die *die, uint64_t size, unsigned depth, struct dt_member *m)
{
	uint64_t at = 0, bits = 0, bit_at = 0;

	*m = (struct dt_member){ .name = c->d->diename(die), .type = type_of(c, die, depth) };
	if (m->type == NULL || dt_type_is_void(m->type) || (m->name == NULL && !dt_type_is_sou(m->type)))
		return false;
	if (!number(c->d, die, DW_AT_data_member_location, &at) && number(c->d, die, DW_AT_data_bit_offset, &bit_at))
		at = 0;
	(void)number(c->d, die, DW_AT_bit_size, &bits);
	if (at >= size || bit_at >= 8 * size || bits > 64 || dt_type_size(c->p->types, m->type) > size)
		return false;
	if (m->name != NULL)
		m->name = dt_arena_strdup(dt_types_arena(c->p->types), m->name);
	m->bit_off = 8 * at + bit_at;
	m->bit_size = (uint16_t)bits;
	return true;
}

/* A type of its own, once for each place in the data; *known: it was there already. */
static struct dt_type *shell(struct converting *c, Dwarf_Die *die, enum dt_tkind kind, bool *known)
{
	const char *name = c->d->diename(die), *key = dt_arena_printf(c->p->arena, "%p", die->addr);
	struct dt_type *t = dt_map_get(&c->d->made, key);

	*known = t != NULL;
	if (t != NULL || c->d->ntypes++ > TYPES_MAX)
		return t;
	if (name != NULL)
		name = dt_arena_strdup(dt_types_arena(c->p->types), name);
	t = dt_type_new_shell(c->p->types, c->module, kind, name);
	dt_map_put(&c->d->made, key, t);
	return t;
}

static const struct dt_type *sou(struct converting *c, Dwarf_Die *die, unsigned depth)
{
	bool known;
	struct dt_type *t = shell(c, die, c->d->tag(die) == DW_TAG_union_type ? DT_T_UNION : DT_T_STRUCT, &known);
	int size = c->d->bytesize(die);
	DT_VEC(struct dt_member) list = { 0 };
	struct dt_member m;
	Dwarf_Die at;

	if (known || t == NULL)
		return t;
	if (size <= 0)
		return t;		/* declared only: an address of it is all there is */
	if (c->d->child(die, &at) == 0)
		do {
			int tag = c->d->tag(&at);

			if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && list.n < MEMBERS_MAX &&
			    member(c, &at, (uint64_t)size, depth, &m))
				dt_vec_push(c->p->arena, &list, m);
		} while (c->d->siblingof(&at, &at) == 0);
	dt_type_complete_placed(c->p->types, t, list.v, (uint32_t)list.n, (uint64_t)size);
	return t;
}

static const struct dt_type *enumeration(struct converting *c, Dwarf_Die *die)
{
	DT_VEC(struct dt_enumconst) list = { 0 };
	int size = c->d->bytesize(die);
	struct dt_type *t;
	Dwarf_Attribute a;
	Dwarf_Sword v;
	Dwarf_Die at;
	bool known;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return NULL;
	t = shell(c, die, DT_T_ENUM, &known);
	if (known || t == NULL)
		return t;
	if (c->d->child(die, &at) == 0)
		do {
			const char *name = c->d->tag(&at) == DW_TAG_enumerator ? c->d->diename(&at) : NULL;

			if (name != NULL && list.n < MEMBERS_MAX && c->d->attr(&at, DW_AT_const_value, &a) != NULL && c->d->formsdata(&a, &v) == 0)
				dt_vec_push(c->p->arena, &list, ((struct dt_enumconst){ name, v }));
		} while (c->d->siblingof(&at, &at) == 0);
	dt_type_complete_enum_sized(c->p->types, t, list.v, (uint32_t)list.n, (uint32_t)size);
	return t;
}

/* The name of a type, once for each place in the data. */
static const struct dt_type *alias(struct converting *c, Dwarf_Die *die, unsigned depth)
{
	const char *name = c->d->diename(die), *key = dt_arena_printf(c->p->arena, "%p", die->addr);
	const struct dt_type *t = dt_map_get(&c->d->made, key), *to;

	if (t != NULL)
		return t;
	to = type_of(c, die, depth);
	if (to == NULL || name == NULL || dt_type_is_void(to) || c->d->ntypes++ > TYPES_MAX)
		return to;
	t = dt_type_new_typedef(c->p->types, c->module, dt_arena_strdup(dt_types_arena(c->p->types), name), to);
	dt_map_put(&c->d->made, key, (void *)t);
	return t;
}

static const struct dt_type *convert(struct converting *c, Dwarf_Die *die, unsigned depth)
{
	switch (c->d->tag(die)) {
	case DW_TAG_base_type: return base(c, die);
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type: return pointer(c, die, depth);
	case DW_TAG_array_type: return array(c, die, depth);
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type: return sou(c, die, depth);
	case DW_TAG_enumeration_type: return enumeration(c, die);
	case DW_TAG_typedef: return alias(c, die, depth);
	case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_restrict_type: case DW_TAG_atomic_type:
		return type_of(c, die, depth);
	case DW_TAG_subroutine_type: return dt_types_void(c->p->types);
	default: return NULL;
	}
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

static bool find(struct finding *f)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die cu;

	if (f->d->addrdie(f->d->dw, f->vaddr, &cu) != NULL)
		f->d->getfuncs(&cu, is_it, f, 0);
	for (; !f->found && f->d->nextcu(f->d->dw, at, &next, &header, NULL, NULL, NULL) == 0 && next > at; at = next)
		if (f->d->offdie(f->d->dw, at + header, &cu) != NULL)
			f->d->getfuncs(&cu, is_it, f, 0);
	return f->found;
}

static bool begin(struct converting *c, struct finding *f)
{
	if (!c->d->made_ready)
		dt_map_init(&c->d->made, c->p->arena);
	c->d->made_ready = true;
	return find(f);
}

/* How many registers for integers a value takes before the function's first argument: where a large result is to be put. */
static int hidden(struct converting *c, const struct dt_object *o, Dwarf_Die *die)
{
	const struct dt_type *t = type_of(c, die, 0);

	if (t == NULL)
		return -1;
	if (!dt_type_is_sou(t) || dt_elf_machine(o->elf) != EM_X86_64)
		return 0;
	return dt_type_size(c->p->types, t) > 16 ? 1 : -1;	/* of smaller ones it depends on more than their size */
}

/* Integers and pointers are in order. Values in vector registers are not to be had; behind a struct by value nothing is certain. */
static const struct dt_probe_sig *parameters(struct converting *c, Dwarf_Die *die, int word)
{
	struct dt_probe_sig *sig = dt_sig_new(c->p->arena, PARAMS_MAX);
	uint32_t n = 0;
	Dwarf_Die at;

	sig->out = DT_NEWN(c->p->arena, const struct dt_type *, PARAMS_MAX + 1);
	if (c->d->child(die, &at) == 0)
		do {
			const struct dt_type *t;
			uint64_t result = 0;

			if (c->d->tag(&at) != DW_TAG_formal_parameter || n == PARAMS_MAX ||
			    (number(c->d, &at, DW_AT_variable_parameter, &result) && result != 0))	/* Go: what is returned */
				continue;
			t = word >= 0 ? type_of(c, &at, 0) : NULL;
			sig->map[n++] = 0;
			if (t != NULL && dt_type_base(t)->kind == DT_T_FLOAT)
				continue;
			if (t == NULL || dt_type_is_sou(t) || word >= 10) {
				word = -1;
				continue;
			}
			sig->map[n - 1] = (uint8_t)word;
			sig->in[word++] = sig->out[n - 1] = t;
		} while (c->d->siblingof(&at, &at) == 0);
	sig->nout = n;
	return sig;
}

const struct dt_probe_sig *dt_dwarf_entry(struct dt_dwarf *d, struct dt_probes *p, const struct dt_object *o, uint64_t vaddr)
{
	struct converting c = { d, p, o->name };
	struct finding f = { .d = d, .vaddr = vaddr };

	return begin(&c, &f) ? parameters(&c, &f.die, hidden(&c, o, &f.die)) : NULL;
}

const struct dt_probe_sig *dt_dwarf_return(struct dt_dwarf *d, struct dt_probes *p, const struct dt_object *o, uint64_t vaddr)
{
	struct converting c = { d, p, o->name };
	struct finding f = { .d = d, .vaddr = vaddr };
	struct dt_probe_sig *sig = dt_sig_new(p->arena, 2);
	const struct dt_type *t;

	if (!begin(&c, &f))
		return NULL;
	t = type_of(&c, &f.die, 0);
	sig->in[0] = dt_types_sized(p->types, 8, false);
	sig->in[1] = t != NULL && !dt_type_is_sou(t) && !dt_type_is_void(t) && dt_type_base(t)->kind != DT_T_FLOAT ? t : NULL;
	return sig;
}
