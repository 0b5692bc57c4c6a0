/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to compiled programs when -e does not end the command: the one place tracing goes into. */
#ifndef DTRACE_TRACE_LOOP_H
#define DTRACE_TRACE_LOOP_H

#include "targets.h"

/* Programs in command-line order; the exit status comes back. */
int trace_loop_run(dtrace_hdl_t *, const struct args *, dtrace_prog_t *const *programs, struct targets *);

#endif
