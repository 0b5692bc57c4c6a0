/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a command does that runs one D program of its own and reports the records as they come, or the
 * aggregations when it has ended:
 * handle, options, processes, the loop. Every function that returns an int gives 0, or 1 after
 * a message.
 */
#ifndef DT_CMD_COMMON_RUN_H
#define DT_CMD_COMMON_RUN_H

#include <dtrace.h>

#include <stdbool.h>
#include <stdint.h>

/* One run of one command, from run_open() to run_close(). */
struct run {
	const char *name;		/* of the command, at the beginning of each message */
	dtrace_hdl_t *dtp;
	struct ps_prochandle *proc;	/* NULL: no process was started or named */
	bool verbose;			/* report the process's end, and the beginning */
	bool gone;			/* the process has ended */
	int status;			/* how it has ended, as wait(2) says */
	bool silent;			/* the command reports its end itself, and faults too */
	/* for commands that read records; NULL: records are printed as their actions say */
	dtrace_consume_probe_f *firing;
	void (*round)(void *);		/* after all records that there were */
	void (*begun)(void *);		/* when probes are enabled, before the process runs; NULL: nothing */
	void *arg;			/* of these */
	uint64_t began, ended;		/* of the trace, in ns */
};

int run_open(struct run *, const char *name);
int run_option(struct run *, const char *option, const char *value);
/* "option=value" or "option", as -x has them. */
int run_option_text(struct run *, const char *text);
int run_create(struct run *, char *const argv[]);
int run_grab(struct run *, const char *pid);
/*
 * Compiles the program and runs it until it calls exit(), the process ends or a signal comes. The
 * aggregations are taken over then, and the handle stays open for walks and names.
 */
int run_program(struct run *, const char *text);
/* The status to exit with: what is given, or 1 when output could not be written. */
int run_close(struct run *, int status);

int run_failed(const struct run *, const char *what);	/* reports the library's reason; 1 */
/* The aggregation of that name; 0: nothing was counted in it. */
dtrace_aggvarid_t run_aggregation(struct run *, const char *name);
#define RUN_NUMBER_MAX 1000000000000000	/* adding to it does not overflow */
/*
 * A number without anything after it, from `least` to RUN_NUMBER_MAX; false after a message that names the
 * option.
 */
bool run_number(const struct run *, int option, const char *text, long least, long *out);

#endif
