/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace: BEGIN, END and ERROR, which always have numbers 1, 2 and 3. */
#include "provider/probe.h"
#include "provider/stability.h"

static bool dtrace_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return dt_part_matches_empty(d->mod) && dt_part_matches_empty(d->func);
}

/*
 * The first provider of the table, and this order, give them their numbers. ERROR has no place to
 * attach to.
 */
static int dtrace_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	if (want != NULL) {
		if (dt_part_literal(want->prov))
			*why = "the probes of provider dtrace are BEGIN, END and ERROR";
		return 0;
	}
	dt_probes_add(p, row, "", "", "BEGIN", &(struct dt_hook){ .kind = DT_HOOK_RUN, .target = "BEGIN" });
	dt_probes_add(p, row, "", "", "END", &(struct dt_hook){ .kind = DT_HOOK_RUN, .target = "END" });
	dt_probes_add(p, row, "", "", "ERROR", &(struct dt_hook){ .kind = DT_HOOK_NONE });
	return 0;
}

const struct dt_provider dt_provider_dtrace = {
	.name = "dtrace",
	.form = "BEGIN, END, ERROR",
	.doc = "The beginning and the end of the trace, and faults of clauses.",
	.attrs = { { SSC, PPU, PPU, SSC, SSC } },
	.provide = dtrace_provide,
	.may_match = dtrace_may_match,
};
