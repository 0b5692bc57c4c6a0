/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to compiled programs when -e does not end the command: the one place tracing goes into. */
#ifndef DTRACE_ENGINE_H
#define DTRACE_ENGINE_H

#include "victims.h"

/* Programs in command-line order; the exit status comes back. */
int engine_run(dtrace_hdl_t *, const struct args *, dtrace_prog_t *const *programs, struct victims *);

#endif
