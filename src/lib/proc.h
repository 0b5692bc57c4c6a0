/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of a handle, for the rest of the library. */
#ifndef DT_LIB_PROC_H
#define DT_LIB_PROC_H

#include "process/proc.h"
#include "lib/trace.h"

void dt_procs_free(struct dtrace_hdl *);
/* Looks who has ended and tells the handler; true when one has. Never waits. */
bool dt_procs_check(struct dtrace_hdl *);
/*
 * The processes that alone may fire probes (n 0: everything may), for as long as the handle lives. 0, or -1
 * with the error.
 */
int dt_procs_limit(struct dtrace_hdl *, const struct dt_trace *, const uint32_t **pids, uint32_t *n);

/* The i-th of -c and -p, 0 behind the last. */
uint32_t dt_procs_pid(const struct dtrace_hdl *, int i);
/*
 * -x follow: what the processes have made before tracing began. In a container nobody can tell the kernel's
 * numbers of these.
 */
void dt_procs_family(struct dtrace_hdl *, struct dt_trace *);

#endif
