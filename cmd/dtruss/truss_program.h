/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line asks for, and the D program that it becomes. */
#ifndef DT_CMD_DTRUSS_TRUSS_PROGRAM_H
#define DT_CMD_DTRUSS_TRUSS_PROGRAM_H

#include "arguments.h"
#include "calls.h"

#include <stdio.h>

struct args {
	bool follow;			/* -f */
	bool summary;			/* -c */
	bool durations;			/* -T */
	int stamps;			/* -t, -tt, -ttt */
	bool relative;			/* -r */
	bool stacks;			/* -k */
	bool names;			/* descriptors as paths; -Y turns it off */
	bool names_asked;		/* -y */
	bool quiet;			/* -q: neither signals nor exits */
	bool print;			/* -V: the D program */
	bool inside;			/* it runs in the process: there are no events of the kernel */
	long limit;			/* -s */
	long column;			/* -a: where results begin */
	const char *trace;		/* -e trace= */
	bool all;			/* -n, or -C alone: processes that come and go */
	const char *pid;		/* -p */
	const char *name;		/* -n */
	const char *container;		/* -C */
	const char *output;		/* -o */
};

/* Records that every firing of a call begins with; those of its arguments follow. */
enum { REC_PID, REC_TID, REC_BEGIN, REC_ARGS, REC_RET = REC_ARGS + CALL_ARGS, REC_COMMON };

/* The caller frees it. NULL: out of memory. */
char *program_text(const struct args *, const struct calls *, dtrace_hdl_t *);
char *program_summary(const struct args *, const struct calls *);

#endif
