/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors of probes on their way to standard error. A clause that fails does so at every firing, thousands of
 * times a second: of equal ones (same clause at whatever probe, same place, same kind) the first few are
 * written as they come, the others once a second, the last of them with their number. No error goes
 * uncounted.
 */
#ifndef DTRACE_FAULTS_H
#define DTRACE_FAULTS_H

#include <dtrace.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define FAULTS_KINDS_MAX 64	/* counted separately; errors of further kinds are written as they come */
#define FAULTS_REPEAT_MAX 5	/* of each kind that are written as they come */

struct fault {
	uint64_t clause;
	int kind, action, offset;
	uint64_t written, waiting;	/* how many were written at once, and how many wait to be */
	char *last;			/* the text of the last that waits */
};

struct faults {
	struct fault list[FAULTS_KINDS_MAX];
	int n;
	uint64_t next;			/* when those that wait are due, ns */
};

/* false: it is to be written now, by the caller */
bool faults_keep(struct faults *, const dtrace_errdata_t *);
/* Writes what waits, once a second, or now in any case; `out` is flushed before. */
void faults_report(struct faults *, FILE *out, bool now);
void faults_free(struct faults *);

#endif
