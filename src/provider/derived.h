/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes derived from other events of the kernel. A table tells where each fires, when, and what its
 * arguments are, in D texts that see the arguments of that place. dlib/<provider>.d declares the native
 * arguments that the texts give, in the same order. Probes of one place are listed in the order in
 * which they must fire.
 */
#ifndef DT_PROVIDER_DERIVED_H
#define DT_PROVIDER_DERIVED_H

#include "provider/probe.h"

/* Rows name only the fields they need; clang warns about the others if a row names none. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct dt_site {
	/* RAWTP, KFUNC, KRET, SYS_ENTER, SYS_EXIT, COUNTER; NONE ends the places of a probe */
	enum dt_hook_kind kind;
	/* tracepoint, kernel function, system call, event of dt_perf_count() */
	const char *target;
	const char *when;		/* D; NULL always */
	const char *args[8];		/* D; NULL: those of the place */
	/*
	 * D: the probe fires for each of several things, which the other texts call arg9. The text
	 * gives the next thing after arg9, and the first after 0
	 */
	const char *each;
	/*
	 * the texts may follow bad addresses: such an address gives 0 instead of a fault of the clause
	 */
	bool soft;
	bool otherwise;			/* only if the place before it does not exist */
	/* only if kernel functions cannot be traced: the places before it cannot exist there */
	bool no_functions;
	/* RAWTP: the tracepoint must have this many arguments (kernels differ); 0: any number */
	uint32_t nargs;
	/* "bio.bi_bdev": the kernel's struct must have this member; NULL none */
	const char *member;
	/* a function whose address the texts use: the kernel must have it; NULL none */
	const char *symbol;
	/* without this place the probe would miss events: there is no such probe then */
	bool required;
	/*
	 * KRET: the texts use arg2 …, arguments of the function; only if programs at return know them
	 */
	bool needs_fexit;
	/* only if they do not: entry remembers the arguments (self->), return uses them */
	bool no_fexit;
};

struct dt_derived {
	const char *name, *func;	/* func NULL: the first place that is there */
	/* All that exist fire; if none does, this kernel has no such probe */
	const struct dt_site *place;	/* NULL with `never` */
	const char *never;		/* a sentence: why there is no such probe on Linux at all */
	const char *mod;		/* NULL: vmlinux */
};

/* The places of a row, as many as it has. Most have one; room for eight makes a row four times as long. */
#define DT_AT(...) .place = (const struct dt_site[]){ __VA_ARGS__, { DT_HOOK_NONE } }

/* For a row of dt_providers with `derived`; the table ends with a row without a name. */
int dt_derived_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *want,
    const char **why);
bool dt_derived_may_match(const struct dt_provider_row *, const struct dt_probedesc *);

/* Can functions of this kernel be traced at all? Asked once. */
bool dt_probes_functions(struct dt_probes *);
/*
 * Calls f for every function that can be traced, in the kernel's order; the list is read once. 0, f's
 * first non-zero value, or -errno.
 */
struct dt_kfunc;
typedef int dt_kfunc_f(void *ctx, const struct dt_kfunc *);
int dt_probes_each_function(struct dt_probes *, dt_kfunc_f *, void *ctx);
/* Do programs at their return know the arguments? */
bool dt_probes_fexit(struct dt_probes *);

extern const struct dt_derived dt_lockstat_probes[];
extern const struct dt_derived dt_proc_probes[];
extern const struct dt_derived dt_sched_probes[];
extern const struct dt_derived dt_io_probes[];
extern const struct dt_derived dt_sysinfo_probes[];
extern const struct dt_derived dt_ip_probes[];
extern const struct dt_derived dt_tcp_probes[];
extern const struct dt_derived dt_udp_probes[];
extern const struct dt_derived dt_udplite_probes[];
extern const struct dt_derived dt_sctp_probes[];
extern const struct dt_derived dt_mib_probes[];
extern const struct dt_derived dt_vminfo_probes[];
extern const struct dt_derived dt_fsinfo_probes[];
extern const struct dt_derived dt_vfs_probes[];
extern const struct dt_derived dt_mac_probes[];
extern const struct dt_derived dt_priv_probes[];

#endif
