/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What runs beside the server, each in a process of its own: the program is read from standard input, the
 * answer is written to standard output. So a trace can be ended whatever it does, and the server never waits.
 */
#ifndef DT_CMD_WEB_WORKER_H
#define DT_CMD_WEB_WORKER_H

#include "wish.h"

#include <dtrace.h>

/* Runs w->worker: "trace", "play", "check", "words" or "probes". The status to exit with. */
int worker_run(const struct wish *);

/* A trace, until it ends or SIGTERM comes. Lines as in teller.h. */
int worker_trace(const struct wish *);
/* A recording, whose path is the input: what -O json makes of it, a line each (doc/JSON.md). */
int worker_play(const struct wish *);
/* The program compiled: {} or the error, as JSON. */
int worker_check(const struct wish *);
/* What can be written, as JSON: all words, or the probes that operand 1 matches. */
int worker_words(const struct wish *);
int worker_probes(const struct wish *);

/* A handle with the options that all programs of the page get; NULL: the reason is in *err. */
dtrace_hdl_t *worker_open(const struct wish *, int flags, int *err);
/* Compiles the text; NULL: the error was told, as JSON, behind `letter`. */
dtrace_prog_t *worker_compile(const struct wish *, dtrace_hdl_t *, const char *text, const char *letter);
void worker_error(dtrace_hdl_t *, const char *letter, const char *what);
char *worker_input(void);		/* all of standard input, to be freed */

#endif
