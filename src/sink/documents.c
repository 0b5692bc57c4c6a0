/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/documents.h"
#include "sink/otlp.h"

#include "dif/action.h"

enum { NPARTS = DTRACE_DOCUMENT_OTLP_TRACES + 1 };

struct documents { struct dt_sink sink; struct dt_sink *part[NPARTS]; };

/* By DTRACE_DOCUMENT_*. */
static const struct dt_sink_type *const types[NPARTS] = { &dt_sink_openmetrics, &dt_sink_otlp_metrics,
	&dt_sink_otlp_spans };

static struct dt_sink *spans_of(struct dt_sink *s)
{
	return ((struct documents *)s)->part[DTRACE_DOCUMENT_OTLP_TRACES];
}

/* ---- firings ---- */

static int take_aggs(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct documents *d = (struct documents *)s;

	for (int i = 0; i < NPARTS; i++)
		if (types[i]->aggregation != NULL)
			(void)types[i]->aggregation(d->part[i], a);
	return 0;
}

static void take_snapshot(struct dt_sink *s, const struct dt_sink_aggs *a) { (void)take_aggs(s, a); }

static void take_printa(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_sink_aggs *a)
{
	(void)e;
	(void)take_aggs(s, a);
}

static void take_value(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_act *act,
    const struct dt_value *v)
{
	(void)e;
	dt_otlp_span_value(spans_of(s), act, v);
}

static void before_effect(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *rec)
{
	(void)e;
	if (dt_act_kind(rec->act) == DT_LIB_KIND(DT_LIB_CLEAR))
		dt_otlp_cleared(((struct documents *)s)->part[DTRACE_DOCUMENT_OTLP_METRICS], dt_rec_int(rec));
}

static int take_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	static const struct dt_message_ops ops = { take_value, take_printa, before_effect };

	dt_otlp_span_begin(spans_of(s));
	dt_message_event(s, &ops, e);
	dt_otlp_span_end(spans_of(s), e);
	return 0;
}

/* ---- all else ---- */

static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	for (int i = 0; i < NPARTS; i++)
		if (types[i]->start != NULL)
			types[i]->start(((struct documents *)s)->part[i], start);
}

static void take_fault(struct dt_sink *s, const dtrace_errdata_t *d, bool has_addr)
{
	dt_sink_openmetrics.fault(((struct documents *)s)->part[DTRACE_DOCUMENT_OPENMETRICS], d, has_addr);
}

static void take_drop(struct dt_sink *s, const dtrace_dropdata_t *d, const char *kind)
{
	dt_sink_openmetrics.drop(((struct documents *)s)->part[DTRACE_DOCUMENT_OPENMETRICS], d, kind);
}

static void close_documents(struct dt_sink *s)
{
	for (int i = 0; i < NPARTS; i++)
		dt_sink_close(((struct documents *)s)->part[i]);
}

static int open_documents(struct dt_sink *s)
{
	struct documents *d = (struct documents *)s;

	for (int i = 0; i < NPARTS; i++)
		if ((d->part[i] = dt_sink_make(types[i], &s->env)) == NULL) {
			close_documents(s);
			return -1;
		}
	return 0;
}

bool dt_document_put(struct dt_sink *s, int kind, struct dt_out *o, uint64_t *left)
{
	if (s->type != &dt_sink_documents || kind < 0 || kind >= NPARTS)
		return false;
	*left += types[kind]->document(((struct documents *)s)->part[kind], o);
	return true;
}

const struct dt_sink_type dt_sink_documents = {
	.oformat = DTRACE_OFORMAT_FILE,
	.size = sizeof(struct documents),
	.open = open_documents,
	.close = close_documents,
	.start = take_start,
	.event = take_event,
	.fault = take_fault,
	.drop = take_drop,
	.snapshot = take_snapshot,
	.aggregation = take_aggs,
};
