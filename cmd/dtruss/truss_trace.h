/* SPDX-License-Identifier: BSD-2-Clause */
/* Records in, lines out. */
#ifndef DT_CMD_DTRUSS_TRUSS_TRACE_H
#define DT_CMD_DTRUSS_TRUSS_TRACE_H

#include "run.h"
#include "truss_program.h"

struct trace;

/* Lines go to `out`. NULL: out of memory. */
struct trace *trace_new(const struct args *, struct calls *, struct run *, FILE *out);
/* The process that is there from the beginning. */
void trace_first(struct trace *, pid_t);
/* The command, whose first call trace_begun() shows before anything is recorded. argv stays the caller's. */
void trace_command(struct trace *, pid_t, char **argv);
void trace_begun(void *trace);		/* tracing has begun */
int trace_firing(const dtrace_probedata_t *, void *trace);
void trace_round(void *trace);
void trace_ended(struct trace *, int status);	/* the command has, as wait(2) says */
void trace_free(struct trace *);

/* -c: the table. 0, or 1 after a message. */
int summary_print(struct run *, FILE *out, bool command);

#endif
