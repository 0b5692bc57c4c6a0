/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpc: cpc:::EVENT-MODE-COUNT fires each time COUNT events have occurred on a CPU; MODE is user, kernel
 * or all. The events that this machine counts are listed with a harmless count; others are created when
 * named.
 */
#include "provider/probe.h"
#include "base/count.h"

#include "base/diag.h"
#include "session/perf_event.h"
#include "provider/stability.h"

#include <errno.h>
#include <stdlib.h>

/* hardware events come by the million; clocks count ns */
enum { HARDWARE_MIN = 5000, CLOCK_MIN = 200000 };
#define LISTED_COUNT "1000000000"

static const struct {
	const char *name, *suffix;
} modes[] = { { "user", ":u" }, { "kernel", ":k" }, { "all", "" } };

struct parts {
	char event[64];
	const char *mode;		/* suffix of the event, NULL: none of ours */
	uint64_t count;
};

/* EVENT-MODE-COUNT, or EVENT-MODE-0xMASK-COUNT. NULL: good, otherwise what is wrong. */
static const char *parse_parts(const char *name, struct parts *p)
{
	const char *dash = strchr(name, '-'), *last = strrchr(name, '-');
	char *end;

	*p = (struct parts){ .mode = NULL };
	if (dash == NULL || last == dash || (size_t)(dash - name) >= sizeof(p->event))
		return "a cpc probe is EVENT-MODE-COUNT: cycles-all-1000000, page_faults-user-100";
	memcpy(p->event, name, (size_t)(dash - name));
	for (size_t i = 0; i < DT_COUNT(modes); i++) {
		size_t len = strlen(modes[i].name);

		if (strncmp(dash + 1, modes[i].name, len) == 0 && dash[1 + len] == '-')
			p->mode = modes[i].suffix;
	}
	if (p->mode == NULL)
		return "the mode of a cpc probe is user, kernel or all: cycles-user-1000000";
	if (strstr(dash + 1, "-0x") != NULL)
		return "masks of events are part of their number here: name the event rHEX";
	p->count = strtoull(last + 1, &end, 10);
	return *end != '\0' || last[1] < '0' || last[1] > '9' || p->count == 0 ?
	    "the last part of a cpc probe is a number of events" :
	    NULL;
}

static const char *no_event(struct dt_probes *p, const char *event)
{
	struct dt_near near;

	dt_near_init(&near, event);
	for (const struct dt_perf_row *r = dt_perf_rows; r->name != NULL; r++)
		dt_near_offer(&near, r->name);
	return near.best != NULL ?
	    dt_arena_printf(p->arena, "there is no event %s; did you mean %s?", event, near.best) :
	    dt_arena_printf(p->arena, "there is no event %s", event);
}

/* EPERM is said apart: the event may exist. */
static const char *not_counted(struct dt_probes *p, const char *event, int err)
{
	if (err == -EPERM)
		return "events may not be counted: run dtrace as root";
	return dt_arena_printf(p->arena,
	    "this machine does not count %s: its processor has no such counter, or hides it (as virtual "
	    "machines do)",
	    event);
}

/* NULL: created. Counts that would leave no time for anything but the probe are refused. */
static const char *cpc_make_probe(struct dt_probes *p, const struct dt_provider *row, const char *name)
{
	struct dt_hook hook = { .kind = DT_HOOK_COUNTER };
	struct dt_perf_row event;
	struct parts part;
	const char *why = parse_parts(name, &part);
	uint64_t least = 1;
	int err;

	if (why != NULL)
		return why;
	if (!dt_perf_event_find(part.event, strlen(part.event), &event))
		return no_event(p, part.event);
	err = dt_perf_event_try(&event);
	if (err != 0)
		return not_counted(p, part.event, err);
	if (!dt_perf_event_is_software(&event))
		least = HARDWARE_MIN;
	else if (strstr(part.event, "_clock") != NULL)
		least = CLOCK_MIN;
	if (part.count < least)
		return dt_arena_printf(p->arena,
		    "a probe every %llu %s would stop the machine: at least %llu",
		    (unsigned long long)part.count, part.event, (unsigned long long)least);
	hook.interval = part.count;
	hook.target = dt_arena_printf(p->arena, "%s%s", part.event, part.mode);
	dt_probes_add(p, row, "", "", name, &hook);
	return NULL;
}

static bool cpc_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	if (!dt_part_matches_empty(d->mod) || !dt_part_matches_empty(d->func))
		return false;
	return !dt_part_literal(d->name) || strstr(d->name, "-user-") != NULL ||
	    strstr(d->name, "-kernel-") != NULL || strstr(d->name, "-all-") != NULL;
}

/* Listing tries each event, as only the kernel knows which of them this processor counts. */
static int cpc_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	for (const struct dt_perf_row *r = dt_perf_rows; want == NULL && r->name != NULL; r++)
		if (dt_perf_event_try(r) == 0)
			cpc_make_probe(p, row, dt_arena_printf(p->arena, "%s-all-" LISTED_COUNT, r->name));
	if (want == NULL || !dt_part_literal(want->name) || !dt_part_matches_empty(want->mod) ||
	    !dt_part_matches_empty(want->func))
		return 0;
	*why = cpc_make_probe(p, row, want->name);
	return 0;
}

const struct dt_provider dt_provider_cpc = {
	.name = "cpc",
	.form = "cpc:::EVENT-MODE-COUNT",
	.doc = "Counters of the processor: cycles, misses, branches.",
	.attrs = { { EEC, PPU, PPU, ATTR(EVOLVING, EVOLVING, CPU), EEC } },
	.provide = cpc_provide,
	.may_match = cpc_may_match,
};
