/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types from the debugging data of a file, asked for when a program uses args[ ] or names a type of a
 * process. The tracer reads none of the data itself.
 */
#ifndef DT_PROVIDER_DWARF_H
#define DT_PROVIDER_DWARF_H

#include "provider/objects.h"
#include "dif/signature.h"

struct dt_dwarf;
struct dt_near;

/*
 * Asks on first use and keeps what is known with the object. NULL: the file has no data, or they cannot
 * be read.
 */
struct dt_dwarf *dt_dwarf_of(struct dt_probes *, struct dt_object *);
void dt_dwarf_close(struct dt_dwarf *);		/* NULL is fine */
/* A sentence: why data that there may be are not read, or no longer. NULL: nothing went wrong. */
const char *dt_dwarf_why(struct dt_probes *, const struct dt_object *);

/*
 * The parameters of the function at an address of the file; at its return: the offset and the value.
 * NULL: it is not described.
 */
const struct dt_probe_sig *dt_dwarf_entry(struct dt_dwarf *, const struct dt_object *, uint64_t vaddr);
const struct dt_probe_sig *dt_dwarf_return(struct dt_dwarf *, uint64_t vaddr);

/*
 * A type by its name, among those outside of functions and namespaces; kinds as for dt_types_find().
 * NULL: none.
 */
const struct dt_type *dt_dwarf_type(struct dt_dwarf *, enum dt_tkind, const char *name);
/* Offers the name that is most like one that dt_dwarf_type() did not find */
void dt_dwarf_near(struct dt_dwarf *, enum dt_tkind, const char *name, struct dt_near *);
bool dt_dwarf_cut(const struct dt_dwarf *);	/* is there more data than is searched for names? */
/* For a probe whose arguments are not known: args[ ] are refused with this sentence. */
const struct dt_probe_sig *dt_dwarf_untyped(struct dt_probes *, const char *why);
/* A typedef of a process. */
const struct dt_type *dt_dwarf_named(struct dt_probes *, const struct dt_type *to, const char *name);

#endif
