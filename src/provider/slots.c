/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What leads from file to file. A file comes in; the words of its tables of addresses that the dynamic linker
 * fills in go out, and the functions that others find by their names.
 */
#include "provider/objects.h"

#include <stdlib.h>

/* ---- kept for one file, since each function may ask ---- */

struct dt_symbolic {
	struct dt_arena *arena;
	struct { uint64_t at, len; } got[2];	/* .got, .got.plt: the tables that calls go through */
	DT_VEC(struct dt_elf_slot) slots;	/* by address */
	struct dt_map named;		/* struct dt_named */
};

static bool in_tables(const struct dt_symbolic *s, uint64_t vaddr)
{
	return vaddr - s->got[0].at < s->got[0].len || vaddr - s->got[1].at < s->got[1].len;
}

/* Those of variables are left out: the program may change what a variable points to. */
static bool keep_slot(void *ctx, const struct dt_elf_slot *slot)
{
	struct dt_symbolic *s = ctx;
	struct dt_elf_slot copy = *slot;

	if (!in_tables(s, slot->vaddr))
		return true;
	copy.name = slot->name != NULL ? dt_arena_strdup(s->arena, slot->name) : NULL;
	dt_vec_push(s->arena, &s->slots, copy);
	return true;
}

/* Functions that are not in the file (UINT64_MAX) are references to another library. */
static int keep_name(void *ctx, const struct dt_elf_function *f)
{
	struct dt_symbolic *s = ctx;
	struct dt_named *n;

	if (f->offset == UINT64_MAX || f->bind == STB_LOCAL ||
	    (f->type != STT_FUNC && f->type != STT_GNU_IFUNC))
		return 0;
	n = DT_NEW(s->arena, struct dt_named);
	*n = (struct dt_named){ f, dt_map_get(&s->named, f->name) };
	dt_map_put(&s->named, f->name, n);
	return 0;
}

static int compare_slots(const void *a, const void *b)
{
	const struct dt_elf_slot *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

/* A file whose functions cannot be read has none. */
static struct dt_symbolic *symbolic(struct dt_arena *arena, struct dt_object *o)
{
	static const char *const tables[] = { ".got", ".got.plt" };
	struct dt_symbolic *s = o->symbolic;
	const void *data;
	size_t len;

	if (s != NULL)
		return s;
	o->symbolic = s = DT_NEW(arena, struct dt_symbolic);
	*s = (struct dt_symbolic){ .arena = arena };
	dt_map_init(&s->named, arena);
	for (int i = 0; i < 2; i++)
		if (dt_elf_section(o->elf, tables[i], &data, &len, &s->got[i].at) == 0)
			s->got[i].len = len;
	dt_elf_each_slot(o->elf, keep_slot, s);
	if (s->slots.n > 0)
		qsort(s->slots.v, s->slots.n, sizeof(s->slots.v[0]), compare_slots);
	(void)dt_elf_each_function(o->elf, keep_name, s);
	return s;
}

/* A word of the tables without a relocation, or with a compressed one, has the address in the file. */
bool dt_object_slot(struct dt_arena *arena, struct dt_object *o, uint64_t vaddr, struct dt_elf_slot *out)
{
	struct dt_symbolic *s = symbolic(arena, o);
	const struct dt_elf_slot *found = NULL;
	const void *word;
	uint64_t off;

	*out = (struct dt_elf_slot){ .vaddr = vaddr };
	if (s->slots.n > 0)
		found = bsearch(out, s->slots.v, s->slots.n, sizeof(s->slots.v[0]), compare_slots);
	if (found != NULL) {
		*out = *found;
		return true;
	}
	if (!in_tables(s, vaddr) || !dt_elf_vaddr_to_offset(o->elf, vaddr, &off) ||
	    dt_elf_code(o->elf, off, sizeof(out->addend), &word) != 0)
		return false;
	memcpy(&out->addend, word, sizeof(out->addend));
	return true;
}

const struct dt_named *dt_object_named(struct dt_arena *arena, struct dt_object *o, const char *name)
{
	return dt_map_get(&symbolic(arena, o)->named, name);
}
