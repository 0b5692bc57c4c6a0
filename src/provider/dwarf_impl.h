/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the files that make types of debugging data: what was asked for so far (file/dies.h). */
#ifndef DT_PROVIDER_DWARF_IMPL_H
#define DT_PROVIDER_DWARF_IMPL_H

#include "provider/dwarf.h"
#include "provider/provider.h"
#include "file/dies.h"

/* An answer, kept as it came */
struct dt_dwarf_answer { struct dt_dwarf_answer *next; void *bytes; struct dt_dies dies; };

struct dt_dwarf_entry {
	const struct dt_die *die;
	const struct dt_dies *in;
	const struct dt_type *made;	/* of structs, unions, enums and typedefs; NULL: not yet */
};

struct dt_dwarf {
	struct dt_probes *p;
	struct dt_object *o;
	struct dt_dwarf_answer *answers, *first;	/* first: that of DT_DIES_OPEN */
	struct dt_map entries;		/* the id in hexadecimal -> struct dt_dwarf_entry */
	struct dt_map names;		/* "s`tag", "t`name" -> struct named (dwarf.c) */
	uint32_t ntypes;
	bool cut;			/* there is more than is searched for names */
};

static inline const char *dt_dwarf_text(const struct dt_dwarf_entry *e, const struct dt_die *die)
{
	return die->name != 0 ? e->in->text + die->name : NULL;
}

/* The entry with that id; NULL: there is none, or it cannot be read. */
struct dt_dwarf_entry *dt_dwarf_by_id(struct dt_dwarf *, uint64_t id);
/* The first entry of the answer, which is *dies unless it is NULL; NULL: there is none. */
struct dt_dwarf_entry *dt_dwarf_ask(struct dt_dwarf *, struct dt_dies_question *,
    const struct dt_dies **dies);

#endif
