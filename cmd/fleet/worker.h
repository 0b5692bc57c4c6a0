/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a worker share: agent_worker.c is the process, the others are its parts. */
#ifndef DT_CMD_FLEET_WORKER_H
#define DT_CMD_FLEET_WORKER_H

#include "always.h"

#include <dtrace.h>

enum { PROGRAMS_MAX = 32, OPERANDS_MAX = 64 };

struct work {
	struct message m;
	dtrace_hdl_t *dtp;
	char *operand[OPERANDS_MAX + 1];
	int noperands;
	char *text[PROGRAMS_MAX];
	const char *type[PROGRAMS_MAX];	/* file, or a number of dtrace_probespec_t */
	int nprograms;
	const char *forbidden;		/* what check_probe() has found */
	char probe[DTRACE_DESC2STR_MAX];
	struct always_worker *always;	/* the program is one of the agent's own; NULL: of an asker */
};

/* What there is to say to the agent; 1. */
int worker_fail(const char *why, const char *what, const char *text);
int worker_fail_library(struct work *, const char *why, const char *what);

/* worker_policy.c: what askers may not do is refused where it is compiled */
bool worker_option_good(const char *name, size_t len);
const char *worker_bad_pragma(const char *text);	/* an option in the text; NULL: none */
bool worker_allowed(const char *list, const char *provider);
int worker_check_program(struct work *, dtrace_prog_t *);	/* 0, or 1 after a message */
int worker_set_limits(struct work *);	/* after the programs are compiled: nothing in them replaces it */
void worker_limit_memory(const struct work *);

/* worker_compile.c */
int worker_set_options(struct work *);
int worker_compile_all(struct work *);

#endif
