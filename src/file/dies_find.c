/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what is asked for in debugging data, in the worker: a function by its address, a type by its name.
 * How much is read for names is limited, because the data are hostile.
 */
#include "file/dies_impl.h"
#include "base/diag.h"

#include <limits.h>
#include <stdio.h>

enum { MET_MAX = 8000000 };

/* A type by name: the first definition found, or a declaration */
struct named { Dwarf_Die die; bool defined; };

/* ---- types by name ---- */

/* For entries at the outer level; '\0': not a named type. */
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

static void meet(struct dt_dw *w, struct dt_dw_file *f, Dwarf_Die *die)
{
	char letter = tag_letter(w->c.tag(die)), key[NAME_MAX + 4];
	const char *name = letter != '\0' ? w->c.diename(die) : NULL;
	bool defined = letter == 't' || w->c.bytesize(die) > 0;
	struct named *n;

	if (name == NULL || (size_t)snprintf(key, sizeof(key), "%c`%s", letter, name) >= sizeof(key))
		return;			/* D has no word so long */
	n = dt_map_get(&f->names, key);
	if (n != NULL && (n->defined || !defined))
		return;
	if (n == NULL) {
		n = DT_NEW(f->arena, struct named);
		dt_map_put(&f->names, key, n);
	}
	*n = (struct named){ *die, defined };
}

bool dt_dw_cut(const struct dt_dw_file *f)
{
	return f->nmet >= MET_MAX;
}

/* Reads the next unit of the data. False: there is none, or the limit is reached. */
static bool read_unit(struct dt_dw *w, struct dt_dw_file *f)
{
	Dwarf_Die unit, at;

	if (f->reading == NULL || dt_dw_cut(f))
		return false;
	if (w->c.get_units(f->reading, f->unit, &f->unit, NULL, NULL, &unit, NULL) != 0) {
		f->reading = f->reading == f->dw ? f->alt : NULL;
		f->unit = NULL;
		return f->reading != NULL;
	}
	if (w->c.child(&unit, &at) == 0)
		do
			meet(w, f, &at);
		while (++f->nmet < MET_MAX && w->c.siblingof(&at, &at) == 0);
	return true;
}

bool dt_dw_named(struct dt_dw *w, struct dt_dw_file *f, char letter, const char *name, Dwarf_Die *out)
{
	const struct named *n;
	char key[NAME_MAX + 4];

	snprintf(key, sizeof(key), "%c`%s", letter, name);
	while ((n = dt_map_get(&f->names, key)) == NULL || !n->defined)
		if (!read_unit(w, f))
			break;
	if (n != NULL)
		*out = n->die;
	return n != NULL;
}

const char *dt_dw_near(struct dt_dw_file *f, char letter, const char *name)
{
	struct dt_near near;

	dt_near_init(&near, name);
	for (uint32_t i = 0; i < f->names.n; i++)
		if (f->names.v[i].key[0] == letter)
			dt_near_offer(&near, f->names.v[i].key + 2);
	return near.best;
}

/* ---- functions ---- */

struct finding { struct dt_dw *w; uint64_t vaddr; Dwarf_Die *die; bool found; };

static int is_it(Dwarf_Die *die, void *ctx)
{
	struct finding *f = ctx;
	Dwarf_Addr pc;

	if (f->w->c.entrypc(die, &pc) != 0 || pc != f->vaddr)
		return DWARF_CB_OK;
	*f->die = *die;
	f->found = true;
	return DWARF_CB_ABORT;
}

bool dt_dw_function(struct dt_dw *w, struct dt_dw_file *file, uint64_t vaddr, Dwarf_Die *out)
{
	struct finding f = { .w = w, .vaddr = vaddr, .die = out };
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die cu;

	if (w->c.addrdie(file->dw, vaddr, &cu) != NULL)
		w->c.getfuncs(&cu, is_it, &f, 0);
	for (; !f.found && w->c.nextcu(file->dw, at, &next, &header, NULL, NULL, NULL) == 0 && next > at;
	     at = next)
		if (w->c.offdie(file->dw, at + header, &cu) != NULL)
			w->c.getfuncs(&cu, is_it, &f, 0);
	return f.found;
}
