/* SPDX-License-Identifier: BSD-2-Clause */
/* -l: probes as a table, with -v what they promise. */
#ifndef DTRACE_PROBE_LIST_H
#define DTRACE_PROBE_LIST_H

#include "args.h"

/*
 * All probes without programs, else those each description matches, in order. The exit status comes back;
 * *why is the errno of a write that failed.
 */
int list_probes(dtrace_hdl_t *, const struct args *, dtrace_prog_t *const *programs, FILE *, int *why);

#endif
