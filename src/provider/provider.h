/* SPDX-License-Identifier: BSD-2-Clause */
/* The providers, one row each. The compiler uses what a row knows without asking the kernel. */
#ifndef DT_PROVIDER_PROVIDER_H
#define DT_PROVIDER_PROVIDER_H

#include "dif/signature.h"

struct dt_derived;
struct dt_object;
struct dt_probe;
struct dt_probes;

/* What a process has begun to run. */
struct dt_news {
	uint32_t pid;
	uint32_t root;			/* -x follow: its ancestor of -c or -p; else pid */
	struct dt_object *file;		/* it is about to run this file; NULL: look at all that it maps */
	bool exec;			/* as its program, not as a library */
};

struct dt_provider_row {
	const char *name;		/* "pid" stands for pid123 too */
	const char *form, *doc;		/* how its probes are written, and what they tell, in one line each */
	struct dt_provider_attrs attrs;
	bool per_process;		/* named with a process id */
	/* Typed arguments of a probe named literally; NULL: unknown. In the arena. */
	struct dt_probe_sig *(*signature)(struct dt_arena *, struct dt_types *, const struct dt_probedesc *);
	/*
	 * Creates probes. want NULL: all that can be listed; called once. Otherwise nothing matched
	 * `want`: creates what it names if that is possible on demand, or tells in *why (in the arena
	 * of the probes, or constant) why there is none. NULL: no probes.
	 */
	int (*provide)(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *want,
	    const char **why);
	/*
	 * False: no probe of this row can match, so its probes need not be created. NULL: one may
	 * match.
	 */
	bool (*may_match)(const struct dt_provider_row *, const struct dt_probedesc *);
	/*
	 * True: `provide` must be asked for this description each time, whatever exists already. NULL:
	 * never.
	 */
	bool (*wants)(const struct dt_probes *, const struct dt_probedesc *);
	/*
	 * While tracing, a process has started to run something else: creates what `want` names there.
	 * NULL: what was found at the beginning is all.
	 */
	void (*look)(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *want,
	    const struct dt_news *);
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
	 * function: told when it is enabled. NULL: nothing to say.
	 */
	const char *nameless[2];
	/* its table, when `provide` is dt_derived_provide() (derived.h) */
	const struct dt_derived *derived;
};

extern const struct dt_provider_row dt_providers[];	/* a row without name ends */

/* The row of "io", "pid123" … ; NULL when no provider has that name. */
const struct dt_provider_row *dt_provider_find(const char *name);

/* Parts of a description: is it literal text, not a pattern? Does it match an empty part? */
bool dt_part_literal(const char *part);
bool dt_part_matches_empty(const char *part);

/* Typed arguments of a tracepoint, by p->name. */
struct dt_probe_sig *dt_tracepoint_signature(struct dt_arena *, struct dt_types *,
    const struct dt_probedesc *p);
/* ctype.c: the type that C text of a program means; NULL: it is not declared anywhere. */
const struct dt_type *dt_ctype_read(struct dt_arena *, struct dt_types *, const char *text);
struct dt_probe_sig *dt_sig_new(struct dt_arena *, uint32_t n);

/* One file each. */
int dt_dtrace_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_dtrace_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
int dt_profile_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_profile_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
int dt_syscall_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_syscall_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
struct dt_probe_sig *dt_syscall_signature(struct dt_arena *, struct dt_types *, const struct dt_probedesc *);
int dt_pid_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_pid_wants(const struct dt_probes *, const struct dt_probedesc *);
const struct dt_probe_sig *dt_pid_typed(struct dt_probes *, const struct dt_probe *);
int dt_usdt_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_usdt_every(const char *prov);	/* do its probes fire in every process that runs the file? */
bool dt_pid_every(const char *prov);
bool dt_usdt_wants(const struct dt_probes *, const struct dt_probedesc *);
void dt_usdt_look(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const struct dt_news *);
void dt_pid_look(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const struct dt_news *);
bool dt_pid_grows(const struct dt_probedesc *);
int dt_fbt_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_fbt_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
struct dt_probe_sig *dt_fbt_signature(struct dt_arena *, struct dt_types *, const struct dt_probedesc *);
int dt_rawfbt_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_rawfbt_wants(const struct dt_probes *, const struct dt_probedesc *);
int dt_kinst_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_kinst_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
int dt_plockstat_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_plockstat_wants(const struct dt_probes *, const struct dt_probedesc *);
int dt_cpc_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_cpc_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
int dt_dtmalloc_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_dtmalloc_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
struct dt_probe_sig *dt_vfs_signature(struct dt_arena *, struct dt_types *, const struct dt_probedesc *);
struct dt_probe_sig *dt_mac_signature(struct dt_arena *, struct dt_types *, const struct dt_probedesc *);
int dt_mac_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_mac_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
int dt_audit_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_audit_may_match(const struct dt_provider_row *, const struct dt_probedesc *);
int dt_sdt_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *,
    const char **);
bool dt_sdt_may_match(const struct dt_provider_row *, const struct dt_probedesc *);

#endif
