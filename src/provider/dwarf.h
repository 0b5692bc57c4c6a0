/* SPDX-License-Identifier: BSD-2-Clause */
/* Types from debugging data of a file, read when a program says args[ ], or names a type of a process. */
#ifndef DT_PROVIDER_DWARF_H
#define DT_PROVIDER_DWARF_H

#include "provider/objects.h"
#include "dif/signature.h"

struct dt_dwarf;
struct dt_near;

/*
 * Opens it at the first need and keeps it with the object. NULL: the file has no debugging data, or
 * none can be read.
 */
struct dt_dwarf *dt_dwarf_of(struct dt_probes *, struct dt_object *);
void dt_dwarf_close(struct dt_dwarf *);		/* NULL is fine */
bool dt_dwarf_reader(void);			/* is there a library that can read any? */

/*
 * Parameters of the function at an address of the file; of its return: the offset and the value. NULL:
 * it is not described.
 */
const struct dt_probe_sig *dt_dwarf_entry(struct dt_dwarf *, const struct dt_object *, uint64_t vaddr);
const struct dt_probe_sig *dt_dwarf_return(struct dt_dwarf *, uint64_t vaddr);

/*
 * A type by its name, of those that stand outside of functions and namespaces; kinds as for
 * dt_types_find(). NULL: none such.
 */
const struct dt_type *dt_dwarf_type(struct dt_dwarf *, enum dt_tkind, const char *name);
/* offers those that were met */
void dt_dwarf_near(struct dt_dwarf *, enum dt_tkind, struct dt_near *);
bool dt_dwarf_cut(const struct dt_dwarf *);	/* are there more data than are searched for names? */
/* A name of a process for a type. */
const struct dt_type *dt_dwarf_named(struct dt_probes *, const struct dt_type *to, const char *name);

#endif
