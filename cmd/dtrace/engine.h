/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to compiled programs when -e does not end the command: the one place tracing goes into. */
#ifndef DTRACE_ENGINE_H
#define DTRACE_ENGINE_H

#include "victims.h"

/* Programs in command-line order; the exit status comes back. */
int engine_run(dtrace_hdl_t *, const struct args *, dtrace_prog_t *const *programs, struct victims *);

/* From here on SIGINT, SIGTERM and SIGHUP ask for the end; a second one is the end. */
void engine_catch_signals(void);
bool engine_interrupted(void);

#endif
