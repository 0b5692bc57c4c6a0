/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A provider: a const struct in the file of its probes, and a line in providers.def. The compiler uses what
 * the struct says without asking the kernel.
 */
#ifndef DT_PROVIDER_PROVIDER_H
#define DT_PROVIDER_PROVIDER_H

#include "dif/signature.h"

struct dt_derived;
struct dt_object;
struct dt_probe;
struct dt_probes;

/* What a process has begun to run. */
struct dt_arrival {
	uint32_t pid;
	uint32_t root;			/* -x follow: its ancestor of -c or -p; else pid */
	struct dt_object *file;		/* it is about to run this file; NULL: look at all that it maps */
	bool exec;			/* as its program, not as a library */
};

struct dt_provider {
	const char *name;		/* "pid" stands for pid123 too */
	const char *form, *doc;		/* how its probes are written, and what they show, in one line each */
	struct dt_provider_attrs attrs;
	bool per_process;		/* named with a process id */
	/* Typed arguments of a probe named literally; NULL: unknown. In the arena. */
	struct dt_probe_sig *(*signature)(struct dt_arena *, struct dt_types *, const struct dt_probedesc *);
	/*
	 * Creates probes. want NULL: all that can be listed; called once. Otherwise nothing matched
	 * `want`: creates what it names if that is possible on demand, or tells in *why (in the arena
	 * of the probes, or constant) why there is none.
	 */
	int (*provide)(struct dt_probes *, const struct dt_provider *, const struct dt_probedesc *want,
	    const char **why);
	/*
	 * False: no probe of this row can match, so its probes need not be created. NULL: one may
	 * match.
	 */
	bool (*may_match)(const struct dt_provider *, const struct dt_probedesc *);
	/*
	 * True: `provide` must be asked for this description each time, whatever exists already. NULL:
	 * never.
	 */
	bool (*wants)(const struct dt_probes *, const struct dt_probedesc *);
	/*
	 * While tracing, a process has started to run something else: creates what `want` names there.
	 * NULL: what was found at the beginning is all.
	 */
	void (*look)(struct dt_probes *, const struct dt_provider *, const struct dt_probedesc *want,
	    const struct dt_arrival *);
	/*
	 * Whether more probes of `want` may come although some exist. NULL: always. With -Z they may come in
	 * any case.
	 */
	bool (*grows)(const struct dt_probedesc *want);
	/*
	 * Types of arguments that are expensive to find: asked for when a program uses args[ ]. NULL:
	 * dt_probe.sig is all.
	 */
	const struct dt_probe_sig *(*typed)(struct dt_probes *, const struct dt_probe *);
	/*
	 * What a description without a name means where that is not every probe, of all functions and of one
	 * function: reported when it is enabled. NULL: no message.
	 */
	const char *nameless[2];
	/* its table, when `provide` is dt_derived_provide() (derived.h) */
	const struct dt_derived *derived;
};

/* Each is defined beside its probes (p_*.c). */
#define X(name) extern const struct dt_provider dt_provider_##name;
#include "provider/providers.def"
#undef X
extern const struct dt_provider *const dt_providers[];	/* in the order of the list; NULL ends */

/* The row of "io", "pid123" … ; NULL when no provider has that name. */
const struct dt_provider *dt_provider_find(const char *name);

/* The name that a provider of another system has here: dtaudit is audit. All other names stay (history.c). */
const char *dt_history_provider(const char *name);
/*
 * Whether a description names a module or a function where another system has the probes of a stable
 * provider; *now is the description without it.
 */
bool dt_history_now(const struct dt_probedesc *, struct dt_probedesc *now);

/* Parts of a description: is it literal text, not a pattern? Does it match an empty part? */
bool dt_part_literal(const char *part);
bool dt_part_matches_empty(const char *part);

/* Typed arguments of a tracepoint, by p->name: in type data it has a typedef with its prototype. */
#define DT_TRACEPOINT_TYPE "btf_trace_"
struct dt_probe_sig *dt_tracepoint_signature(struct dt_arena *, struct dt_types *,
    const struct dt_probedesc *p);
/* ctype.c: the type that C text of a program means; NULL: it is not declared anywhere. */
const struct dt_type *dt_ctype_read(struct dt_arena *, struct dt_types *, const char *text);
struct dt_probe_sig *dt_sig_new(struct dt_arena *, uint32_t n);

/* Do the probes of this provider name fire in every process that runs the file? */
bool dt_usdt_every(const char *prov);
bool dt_pid_every(const char *prov);

#endif
