/* SPDX-License-Identifier: BSD-2-Clause */
/* The providers, one row each. What a row knows without asking the kernel serves the compiler. */
#ifndef DT_PROVIDER_H
#define DT_PROVIDER_H

#include "provider/signature.h"

struct dt_provider_row {
	const char *name;		/* "pid" stands for pid123 too */
	struct dt_provider_attrs attrs;
	bool per_process;		/* named with a process id */
	/* Typed arguments of a probe named literally; NULL: none known. In the arena. */
	struct dt_probe_sig *(*signature)(struct dt_arena *, struct dt_types *, const struct dt_probedesc *);
};

extern const struct dt_provider_row dt_providers[];	/* a row without name ends */

/* The row of "io", "pid123" … ; NULL when no provider has that name. */
const struct dt_provider_row *dt_provider_find(const char *name);

#endif
