/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of functions from debugging data of a file, read when a program says args[ ]. */
#ifndef DT_DWARF_H
#define DT_DWARF_H

#include "provider/objects.h"
#include "provider/signature.h"

struct dt_dwarf;

/* Opens it at the first need and keeps it with the object. NULL: the file has no debugging data, or none can be read. */
struct dt_dwarf *dt_dwarf_of(struct dt_object *);
void dt_dwarf_close(struct dt_dwarf *);		/* NULL is fine */

/* Parameters of the function at an address of the file; of its return: the offset and the value. NULL: it is not described. */
const struct dt_probe_sig *dt_dwarf_entry(struct dt_dwarf *, struct dt_probes *, const struct dt_object *, uint64_t vaddr);
const struct dt_probe_sig *dt_dwarf_return(struct dt_dwarf *, struct dt_probes *, const struct dt_object *, uint64_t vaddr);

#endif
