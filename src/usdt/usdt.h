/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers for user programs: declarations in D come in; the header (-h) and the object (-G) go out.
 * See doc/USDT.md.
 */
#ifndef DT_USDT_USDT_H
#define DT_USDT_USDT_H

#include "dif/dof_provider.h"
#include "sema/sema.h"

#include <stdio.h>

enum { DT_USDT_MAXARGS = 12 };		/* of a site */

struct dt_usdt_probe {
	const struct dt_declared *provider;
	const char *name;		/* query-start */
	const char *source;		/* query__start: what the site's note says */
	const char *semaphore;		/* mydb_query__start_semaphore */
	const char *macro;		/* MYDB_QUERY_START */
	const struct dt_probe_sig *sig;
};

struct dt_usdt {			/* in declared order; in the arena given */
	const struct dt_declared **providers;
	uint32_t nproviders;
	struct dt_usdt_probe *probes;
	uint32_t nprobes;
};

/* What a header or an object is made from, and why it could not be made. */
struct dt_usdt_job {
	struct dt_arena *arena;
	struct dt_types *types;
	const struct dt_map *providers;	/* name → struct dt_declared */
	bool bare;			/* -x linktype=dof: the declaration without an object around it */
	int err;			/* EDT_* or errno of what went wrong */
	const char *why;		/* its sentence; NULL: the error's own */
};
/* Records the error; returns -1. */
int dt_usdt_fail(struct dt_usdt_job *, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Collects the providers that programs declared. 0, or -1 with the job's error: there is none, or one
 * has no probes.
 */
int dt_usdt_collect(struct dt_usdt_job *, struct dt_usdt *);
/*
 * Writes the header of `dtrace -h`; writes the object of `dtrace -G` for these files. 0, or -1 with the
 * job's error.
 */
int dt_usdt_header(struct dt_usdt_job *, FILE *, const char *name);
int dt_usdt_link(struct dt_usdt_job *, const char *path, int nobjects, char *const objects[]);

/* usdt_object.c: the object of -G as bytes. */
/* A function that objects call, as with headers of other systems */
struct dt_usdt_stub {
	const char *symbol;		/* __dtrace_mydb___query__start */
	const struct dt_usdt_probe *probe;
	bool enabled;			/* __dtraceenabled_…: is it being traced? */
	const char *args;		/* where a call leaves its values, as a note says it */
};
struct dt_usdt_object {
	uint16_t machine;		/* EM_…, one that dt_machine_elf() knows */
	const struct dt_usdt *set;
	const struct dt_usdt_stub *stubs;
	uint32_t nstubs;
	const void *dof;
	size_t doflen;
};
/* In the arena. */
void *dt_usdt_object(struct dt_arena *, const struct dt_usdt_object *, size_t *len);

/* usdt_call.c: where a function with the probe's prototype finds its values; "" without arguments. */
const char *dt_usdt_callargs(struct dt_arena *, struct dt_types *, uint16_t machine,
    const struct dt_probe_sig *);

/* The text of include/dtrace/usdt.h, embedded when we build. */
extern const char dt_usdt_site[];

#endif
