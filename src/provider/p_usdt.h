/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to static probes: what is known while the probes of a process are made. */
#ifndef DT_PROVIDER_P_USDT_H
#define DT_PROVIDER_P_USDT_H

#include "base/diag.h"
#include "dif/dof_provider.h"
#include "provider/objects.h"
#include "provider/provider.h"
#include "usdt/sdtnote.h"

struct dt_usdt_making {
	struct dt_probes *p;
	const struct dt_provider *row;
	const struct dt_probedesc *want;
	uint32_t only;			/* the process that is named, 0 none is */
	uint32_t pid;			/* the process that is looked at */
	bool every;			/* the site at hand is wanted in every process that runs the file */
	const struct dt_loaded *in;
	struct dt_dofprov *decls;	/* providers the object declares, with types */
	uint32_t ndecls;
	uint64_t pc;			/* of the site, in the file */
	/* the site is a call, and the values are at its target: those on the stack are one word lower */
	bool calling;
	/* the pattern may match a provider's name in one process and not in another */
	bool by_pid;
	uint32_t walk;			/* this look through all processes, 0 none */
	uint32_t sites;			/* of the object, of any provider */
	uint32_t made;
	/* the existing name nearest to the wanted one: "provider123:::name" */
	struct dt_near nearest;
};

/*
 * The arguments of a site of the probe prov:::name: their D texts go into the hook, their types are
 * returned. Both are in the order that the program's declaration of the probe gives, if it has one.
 */
struct dt_probe_sig *dt_usdt_arguments(struct dt_usdt_making *, const struct dt_sdt_note *, const char *prov,
    const char *name, struct dt_hook *);
/* The types that all sites of a probe have. */
const struct dt_probe_sig *dt_usdt_agreed(const struct dt_probe_sig *had, struct dt_probe_sig *);

#endif
