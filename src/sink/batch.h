/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floods of firings, formatted by several threads. Firings come in, in order, and are copied; the same
 * bytes that the sink would have written one by one come out, in the same order, written by the thread that
 * gives them. Only firings whose text depends on nothing else are given (dt_statements_alone()). Between
 * the first dt_batches_add() and dt_batches_settle() nothing that formatting reads may change: print
 * options, parsed formats, the state of the sink. Memory is bounded, however fast firings come and however
 * long their text is.
 */
#ifndef DT_SINK_BATCH_H
#define DT_SINK_BATCH_H

#include "record/record.h"
#include "sink/sink.h"

struct dt_batches;

enum { DT_BATCH_ACTS = 64 };		/* actions of a clause at most */

/* What firings of one clause on one probe share; it lives as long as the batches. */
struct dt_batch_clause {
	const struct dt_ecb *ecb;
	const struct dt_reclayout *layout;
	dtrace_eprobedesc_t *edesc;
	dtrace_probedesc_t *pdesc;
	bool always;			/* each firing shows something */
};

struct dt_batch_firing {
	const struct dt_batch_clause *clause;
	const uint8_t *data;		/* clause->layout->size bytes, aligned to 8 */
	uint64_t time;
	uint32_t cpu;
	/* text of the caller around what is shown; `end` is a constant */
	uint32_t nbefore;
	const char *before, *end;
};

/* For a sink that can be cloned. NULL: out of memory. No thread is started before a batch is full. */
struct dt_batches *dt_batches_new(struct dt_sink *, dtrace_hdl_t *, unsigned threads);
/* Waits for the threads; what was added since the last dt_batches_settle() is lost. NULL is nothing. */
void dt_batches_free(struct dt_batches *);
/* Whether firings of the clause with so much text before them can be added. */
bool dt_batches_fits(const struct dt_batch_clause *, size_t nbefore);
/* Copies the firing. False: it does not fit, or memory has run out: it has to be shown in another way. */
bool dt_batches_add(struct dt_batches *, const struct dt_batch_firing *);
bool dt_batches_any(const struct dt_batches *);	/* of those added, some are not written */
/* Writes all. 0, or the first number that the sink ended the trace with. */
int dt_batches_settle(struct dt_batches *);
unsigned dt_batches_threads(const struct dt_batches *);	/* how many were started */

/* The records of a firing, at most DT_BATCH_ACTS; 0: it shows nothing. */
uint32_t dt_batch_records(const struct dt_batch_clause *, const uint8_t *data, struct dt_rec *recs);

#endif
