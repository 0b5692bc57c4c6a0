/* SPDX-License-Identifier: BSD-2-Clause */
/* Types by name, from the debugging data of what a process runs. */
#ifndef DT_PROVIDER_USERTYPE_H
#define DT_PROVIDER_USERTYPE_H

#include "types/type.h"

struct dt_near;
struct dt_probes;

struct dt_usertype {
	uint32_t pid;
	const char *module;		/* one file of it; NULL: any, the program first */
	enum dt_tkind kind;		/* as for dt_types_find() */
	const char *name;
};

/*
 * NULL: *why tells why (in the arena of the probes, or constant), and `near` is offered the existing
 * names.
 */
const struct dt_type *dt_usertype_find(struct dt_probes *, const struct dt_usertype *, const char **why,
    struct dt_near *near);

#endif
