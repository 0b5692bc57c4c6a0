/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of a handle, for the rest of the library. */
#ifndef DT_TRACE_TRACE_PROCS_H
#define DT_TRACE_TRACE_PROCS_H

#include "process/proc.h"
#include "trace/trace.h"

void dt_procs_free(struct dtrace_hdl *);
/* Finds processes that have ended and calls the handler; true when one has. Never waits. */
bool dt_procs_check(struct dtrace_hdl *);
/*
 * The processes that alone may fire probes (n 0: everything may), for as long as the handle lives. 0, or -1
 * with the error.
 */
int dt_procs_limit(struct dtrace_hdl *, const struct dt_trace *, const uint32_t **pids, uint32_t *n);

/*
 * System calls are traced from the first instruction on (-x evaltime=exec), by an engine that has to know the
 * files they are made from: runs what is held on to its entry, and tells the engine of each library that is
 * mapped before any of its code runs. 0 or -errno with a sentence.
 */
int dt_procs_map(struct dtrace_hdl *, struct dt_trace *, char *msg, size_t len);

/* The i-th of -c and -p, 0 after the last. */
uint32_t dt_procs_pid(const struct dtrace_hdl *, int i);
/*
 * -x follow: what the processes have made before tracing began. In a container it is not possible to find the
 * kernel's numbers of these.
 */
void dt_procs_family(struct dtrace_hdl *, struct dt_trace *);

#endif
