/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that are made of other events of the kernel: a table says where each fires, when, and what its
 * arguments are, in D texts that see the arguments of that place. dlib/<provider>.d declares the native
 * arguments the texts give, in its order. Probes of one place are listed in the order in which they are
 * to fire.
 */
#ifndef DT_PROVIDER_DERIVED_H
#define DT_PROVIDER_DERIVED_H

#include "provider/probe.h"

/* Rows name what they need; clang warns of the rest when none of a row's fields is named. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define DT_PLACES 8

struct dt_site {
	/* RAWTP, KFUNC, KRET, SYS_ENTER, SYS_EXIT, COUNTER; NONE ends the places of a probe */
	enum dt_hook_kind kind;
	/* tracepoint, kernel function, system call, event of dt_perf_count() */
	const char *target;
	const char *when;		/* D; NULL always */
	const char *args[8];		/* D; NULL: those of the place */
	/*
	 * D: the probe fires for each of several things, which the other texts call arg9: the next
	 * after it, the first after 0
	 */
	const char *each;
	/*
	 * the texts look at what may be anything: an address that cannot be followed is 0 there, no
	 * fault of the clause
	 */
	bool soft;
	bool otherwise;			/* only where the place before it is not there */
	/*
	 * only where functions of the kernel cannot be traced: the places before it have no chance
	 * there
	 */
	bool no_functions;
	/* RAWTP: the tracepoint must have as many arguments (kernels differ), 0 any number */
	uint32_t nargs;
	/* "bio.bi_bdev": the kernel's struct must have this member; NULL none */
	const char *member;
	/* a function whose address the texts use: the kernel must have it; NULL none */
	const char *symbol;
	/* without this place the probe would miss events: there is no such probe then */
	bool required;
	/*
	 * KRET: the texts use arg2 …, arguments of the function; only where programs at return have
	 * them
	 */
	bool needs_fexit;
	/* only where they have not: entry remembers them (self->), return knows */
	bool no_fexit;
};

struct dt_derived {
	const char *name, *func;	/* func NULL: the first place that is there */
	/* as many as there are, all fire; without any there is no such probe on this kernel */
	struct dt_site place[DT_PLACES];
	const char *never;		/* a sentence: why there is no such probe on Linux at all */
	const char *mod;		/* NULL: vmlinux */
};

/* For a row of dt_providers with `derived`, a table that ends with a row without name. */
int dt_derived_provide(struct dt_probes *, const struct dt_provider_row *, const struct dt_probedesc *want,
    const char **why);
bool dt_derived_may_match(const struct dt_provider_row *, const struct dt_probedesc *);

/* Can functions of this kernel be traced at all? Asked once. */
bool dt_probes_functions(struct dt_probes *);
/*
 * Calls f for every function that can be traced, in the kernel's order; the list is read once. 0, f's
 * first non-zero value, -errno.
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
