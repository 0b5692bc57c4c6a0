/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of probes, sorted by clause and kind, and counted; faults.h says which are kept back. */
#include "faults.h"

#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000u

/*
 * The kind that an error belongs to. NULL: there is no room for another kind, or it is an error of the
 * library's, each of which has a text of its own.
 */
static struct fault *fault_of(struct faults *f, const dtrace_errdata_t *d)
{
	uint64_t clause = d->dteda_edesc->dtepd_uarg;

	if (d->dteda_fault == DTRACEFLT_LIBRARY)
		return NULL;
	for (int i = 0; i < f->n; i++) {
		struct fault *one = &f->list[i];

		if (one->clause == clause && one->kind == d->dteda_fault && one->action == d->dteda_action &&
		    one->offset == d->dteda_offset)
			return one;
	}
	if (f->n == FAULTS_KINDS_MAX)
		return NULL;
	f->list[f->n] = (struct fault){ .clause = clause, .kind = d->dteda_fault, .action = d->dteda_action,
	    .offset = d->dteda_offset };
	return &f->list[f->n++];
}

/* Without memory for the text the error is written at once: none is lost. */
bool faults_keep(struct faults *f, const dtrace_errdata_t *d)
{
	struct fault *one = fault_of(f, d);
	char *text;

	if (one == NULL || one->written < FAULTS_REPEAT_MAX || (text = strdup(d->dteda_msg)) == NULL) {
		if (one != NULL)
			one->written++;
		return false;
	}
	free(one->last);
	one->last = text;
	one->waiting++;
	return true;
}

/*
 * The last text, with the number of those like it. Traced output is flushed first, so that the order is
 * right.
 */
static void report_waiting(struct fault *one, FILE *out)
{
	fflush(out);
	one->last[strcspn(one->last, "\n")] = '\0';
	if (one->waiting == 1)
		fprintf(stderr, "dtrace: %s\n", one->last);
	else
		fprintf(stderr, "dtrace: %s (and %llu more like this)\n", one->last,
		    (unsigned long long)one->waiting - 1);
	free(one->last);
	one->last = NULL;
	one->waiting = 0;
}

/* The clock is read only if there are errors. */
void faults_report(struct faults *f, FILE *out, bool now)
{
	uint64_t time = f->n > 0 ? now_ns() : 0;

	if (f->n == 0 || (!now && time < f->next))
		return;
	f->next = time + SECOND;
	for (int i = 0; i < f->n; i++)
		if (f->list[i].waiting > 0)
			report_waiting(&f->list[i], out);
}

void faults_free(struct faults *f)
{
	for (int i = 0; i < f->n; i++)
		free(f->list[i].last);
}
