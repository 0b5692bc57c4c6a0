/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes of one handle: numbered from 1 in the order they came into being, found by description. Providers make
 * them (provider.h); the engine asks each for its hook, the place in the kernel where it fires.
 */
#ifndef DT_PROBE_H
#define DT_PROBE_H

#include "base/map.h"
#include "dif/dif.h"

struct dt_provider_row;

enum dt_hook_kind {
	DT_HOOK_NONE,		/* dtrace:::ERROR: run by other programs */
	DT_HOOK_RUN,		/* fired by ourselves with BPF_PROG_RUN: BEGIN, END */
	DT_HOOK_TICK,		/* the same, from a timer of `interval` ns: tick-n */
	DT_HOOK_PERF,		/* perf cpu-clock event on every CPU, `interval` ns: profile-n */
	DT_HOOK_SYS_ENTER,	/* raw tracepoint sys_enter, system call `number` */
	DT_HOOK_SYS_EXIT,	/* raw tracepoint sys_exit */
	DT_HOOK_RAWTP,		/* raw tracepoint `target` */
};

/*
 * Where a probe fires. Probes with the same kind, target and interval share one program. Derived probes (proc:::exit
 * from sched_process_exit) say in D when they fire and what their arguments are; both are compiled where arg0 … arg9
 * are those of the hook. NULL: always, and the hook's own arguments.
 */
struct dt_hook {
	enum dt_hook_kind kind;
	const char *target;
	uint64_t interval;
	uint32_t number;
	const char *when;		/* D expression, "((struct task_struct *)arg0)->pid == …" */
	const char *args[10];		/* D expressions for arg0 … ; NULL ends */
};

struct dt_probe {
	uint32_t id;
	const char *prov, *mod, *func, *name;	/* "" where it has none */
	const struct dt_provider_row *row;
	struct dt_hook hook;
};

struct dt_probes {
	struct dt_arena *arena;
	DT_VEC(struct dt_probe *) list;		/* list.v[id - 1] */
	struct dt_map by_name;			/* "prov:mod:func:name" */
	struct dt_map provided;			/* providers that have made all they can list */
};

void dt_probes_init(struct dt_probes *, struct dt_arena *);
/* A new probe, or the one of that name; strings are copied, hook texts are not. */
struct dt_probe *dt_probes_add(struct dt_probes *, const struct dt_provider_row *, const char *mod, const char *func,
    const char *name, const struct dt_hook *);
/*
 * Calls f for every probe the description matches, by id, after letting the providers concerned make theirs (a
 * literal provider name asks only that one; profile-n and tick-n are made on demand). Returns how many matched, or f's
 * first non-zero value as a negative errno. *why (may be NULL) gets a sentence when nothing can match and a provider knows the reason.
 */
typedef int dt_probe_f(void *ctx, const struct dt_probe *);
int dt_probes_match(struct dt_probes *, const struct dt_probedesc *, dt_probe_f *, void *ctx, const char **why);

#endif
