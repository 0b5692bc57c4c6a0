/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of the user: to end, and to see the aggregations as they are. */
#ifndef DTRACE_SIGNALS_H
#define DTRACE_SIGNALS_H

#include <dtrace.h>
#include <stdbool.h>
#include <sys/types.h>

/* A file that may not grow any more (ulimit -f) is an error of writing, not the end. */
void signals_begin(void);
/*
 * From here on SIGINT, SIGTERM, SIGQUIT and SIGHUP ask for the end; a second one is the end, and so is the
 * first one if nothing has begun a moment later.
 */
void signals_catch(void);
void signals_begun(void);
/* What is to be interrupted, from here on; NULL: nothing any more */
void signals_for(dtrace_hdl_t *);
bool signals_interrupted(void);

/* A process that ends for us: it gets SIGTERM whenever we are asked to end; 0: none any more */
void signals_pass_to(pid_t);

/* SIGUSR1 came since the last answer. */
bool signals_asked(void);
void signals_answered(void);

#endif
