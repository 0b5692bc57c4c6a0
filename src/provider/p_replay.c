/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes of -x replay: those that the file of events names, whatever their provider is called. They are
 * there in place of all others but dtrace:::BEGIN, END, ERROR and the clock's (probe_match.c).
 */
#include "provider/probe.h"
#include "provider/provider.h"
#include "provider/stability.h"
#include "replay/events.h"

/* Without -x replay it is never asked, and so never makes others be asked before it (probe_match.c). */
static bool replay_wants(const struct dt_probes *p, const struct dt_probedesc *d)
{
	(void)d;
	return p->events != NULL;
}

static int replay_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	if (p->events == NULL)
		return 0;
	if (want != NULL) {
		*why = "the file of -x replay has no event of that name";
		return 0;
	}
	for (size_t i = 0; i < p->events->probes.n; i++) {
		const struct dt_replay_probe *e = &p->events->probes.v[i];

		dt_probes_add_as(p, row, e->prov, e->mod, e->func, e->name,
		    &(struct dt_hook){ .kind = DT_HOOK_REPLAY, .target = "replay", .number = (uint32_t)i });
	}
	return 0;
}

const struct dt_provider dt_provider_replay = {
	.name = "replay",
	.form = "any name in the file of -x replay",
	.doc = "Events of a file in place of the kernel's, with -x replay.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	.provide = replay_provide,
	.wants = replay_wants,
};
