/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker's side of a program that runs always: once a second what it counts goes to the agent as frames
 * (always.h). When the agent reads slowly, the write waits, and drops are counted by the kernel as ever.
 */
#include "always.h"

#include "base.h"
#include "cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct always_worker {
	dtrace_hdl_t *dtp;
	struct frame_counts counts;
	struct cost cost;
	uint64_t next, next_metrics, every;	/* times; ns between metrics for OTLP, 0: none */
	int profiles;			/* DTRACE_DOCUMENT_OTLP_PROFILES_*, sent with the metrics; 0: none */
	uint64_t next_past, past;		/* the same of recordings for the history */
	uint64_t from;			/* when the last of them ended: wall time */
};

static int count_error(const dtrace_errdata_t *e, void *arg)
{
	(void)e;
	((struct always_worker *)arg)->counts.errors++;
	return DTRACE_HANDLE_OK;
}

static int count_drop(const dtrace_dropdata_t *d, void *arg)
{
	((struct always_worker *)arg)->counts.drops += d->dtdda_drops;
	return DTRACE_HANDLE_OK;
}

void always_worker_record(struct always_worker *w)
{
	if (w != NULL)
		w->counts.records++;
}

struct always_worker *always_worker_open(dtrace_hdl_t *dtp, const struct message *m)
{
	struct always_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->dtp = dtp;
	w->every = message_number(m, "every") * SECOND_NS;
	w->past = message_number(m, "history") * SECOND_NS;
	w->profiles = (int)message_number(m, "profiles");
	if (dtrace_documents(dtp, message_get(m, "always"), message_get(m, "name")) == 0)
		return w;
	free(w);
	return NULL;
}

int always_worker_begin(struct always_worker *w)
{
	if (dtrace_handle_err(w->dtp, count_error, w) != 0 || dtrace_handle_drop(w->dtp, count_drop, w) != 0)
		return -1;
	return 0;
}

static bool write_all(const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t n = write(STREAM_FD, at, len);

		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool put_frame(uint32_t kind, const void *bytes, size_t len)
{
	struct frame f = { kind, (uint32_t)len };

	return len <= UINT32_MAX && write_all(&f, sizeof(f)) && write_all(bytes, len);
}

/* Before the document there may be a head. */
static bool put_document_after(struct always_worker *w, int kind, const void *head, size_t n)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	bool good = f != NULL && fwrite(head, 1, n, f) == n &&
	    dtrace_document(w->dtp, kind, f, &w->counts.spans_left) == 0;

	if (f != NULL)
		good &= fclose(f) == 0;
	good = good && put_frame((uint32_t)kind, text, len);
	free(text);
	return good;
}

static bool put_document(struct always_worker *w, int kind) { return put_document_after(w, kind, "", 0); }

static uint64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

static bool put_past(struct always_worker *w)
{
	struct frame_past past = { w->from, wall_ns() };

	w->from = past.to;
	w->next_past = now_ns() + w->past;
	return put_document_after(w, DTRACE_DOCUMENT_RECORDING, &past, sizeof(past));
}

/* The first document is empty: counting starts with it. */
static bool begin_document(struct always_worker *w, int kind)
{
	uint64_t left = 0;
	FILE *f = fopen("/dev/null", "we");
	bool good = f != NULL && dtrace_document(w->dtp, kind, f, &left) == 0;

	if (f != NULL)
		fclose(f);
	return good;
}

int always_worker_live(struct always_worker *w)
{
	bool good = (w->past == 0 || begin_document(w, DTRACE_DOCUMENT_RECORDING)) &&
	    (w->profiles == 0 || begin_document(w, w->profiles));

	w->from = wall_ns();
	w->next_past = now_ns() + w->past;
	return good ? 0 : -1;
}

int always_worker_report(struct always_worker *w, bool last)
{
	uint64_t now = now_ns();
	bool good;

	if (w->next == 0)
		cost_begin(&w->cost);
	if (!last && now < w->next)
		return 0;
	w->next = now + SECOND_NS;
	w->counts.probes = last ? -1 : cost_take(&w->cost).probes;
	good = put_document(w, DTRACE_DOCUMENT_OPENMETRICS);
	if (good && w->every != 0) {
		good = put_document(w, DTRACE_DOCUMENT_OTLP_TRACES);
		if (good && (last || now >= w->next_metrics)) {
			w->next_metrics = now + w->every;
			good = put_document(w, DTRACE_DOCUMENT_OTLP_METRICS) &&
			    (w->profiles == 0 || put_document(w, w->profiles));
		}
	}
	if (good && w->past != 0 && (last || now >= w->next_past))
		good = put_past(w);
	return good && put_frame(FRAME_COUNTS, &w->counts, sizeof(w->counts)) ? 0 : -1;
}
