/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What runs beside the server, each in a process of its own: the program is read from standard input, the
 * answer is written to standard output. So a trace can be ended whatever it does, and the server never waits.
 */
#ifndef DT_CMD_WEB_WORKER_H
#define DT_CMD_WEB_WORKER_H

#include "web_args.h"

#include <dtrace.h>

/* Runs w->worker: "trace", "check", "words" ... The status to exit with. */
int worker_run(const struct args *);

/* A trace, until it ends or SIGTERM comes: its recording, and lines for the page (trace_worker.c). */
int worker_trace(const struct args *);
/* The same over the hosts of --hosts (hosts_worker.c). */
int worker_hosts(const struct args *);
/* The program compiled: {} or the error, as JSON. */
int worker_check(const struct args *);
/* What can be written, as JSON: all words. */
int worker_words(const struct args *);
/* The tools, as JSON, and which of them this user cannot use here (gallery.h). */
int worker_gallery(const struct args *);
/* Why the program cannot run here, and what this machine allows at all, as JSON. */
int worker_refusal(const struct args *);
int worker_machine(const struct args *);

/* A handle with the options that all programs of the page get; NULL: the reason is in *err. */
dtrace_hdl_t *worker_open(const struct args *, int flags, int *err);
/* With the rights that there are, also none, and the process of -p. */
dtrace_hdl_t *worker_open_any(const struct args *);
/* NULL: it is wrong. */
dtrace_prog_t *worker_program(const struct args *, dtrace_hdl_t *, const char *text);
/* Compiles the text; NULL: the error was written, as JSON, after `letter`. */
dtrace_prog_t *worker_compile(const struct args *, dtrace_hdl_t *, const char *text, const char *letter);
/* The same with a message of its own. */
void worker_say(const char *letter, const char *what, const char *msg);
void worker_error(dtrace_hdl_t *, const char *letter, const char *what);
char *worker_input(void);		/* all of standard input, to be freed */

#endif
