/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/documents.h"
#include "sink/otlp.h"
#include "sink/record_impl.h"
#include "sink/stacks.h"

#include "dif/action.h"

#include <stdlib.h>

enum { NPARTS = DTRACE_DOCUMENT_OTLP_TRACES + 1 };

struct documents {
	struct dt_sink sink;
	struct dt_sink *part[NPARTS];
	struct dt_sink *profiles;		/* struct dt_stacks; NULL: not wanted */
	uint64_t skew;			/* wall time less monotonic */
	struct dt_sink *recording;	/* since the last one was taken; NULL: not wanted */
	struct dt_arena *arena;		/* of it */
	char *memory;
	size_t nmemory;
};

/* By DTRACE_DOCUMENT_*. */
static const struct dt_sink_type *const types[NPARTS] = { &dt_sink_openmetrics, &dt_sink_otlp_metrics,
	&dt_sink_otlp_spans };

static struct dt_stacks *stacks_of(struct dt_sink *s)
{
	return (struct dt_stacks *)((struct documents *)s)->profiles;
}

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
	if (dt_document_profiling(s))
		dt_stacks_value(stacks_of(s), act, v);
}

static void before_effect(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *rec)
{
	bool clears = dt_act_kind(rec->act) == DT_LIB_KIND(DT_LIB_CLEAR);
	int64_t id = dt_rec_int(rec);

	(void)e;
	if (dt_document_profiling(s) && (clears || dt_act_kind(rec->act) == DT_LIB_KIND(DT_LIB_TRUNC))) {
		struct dt_sink_aggs a = dt_message_elements(s, &id);	/* before they are removed */

		dt_document_profiled(s, &a);
		if (clears)
			dt_stacks_cleared(stacks_of(s), id);
	}
	if (clears)
		dt_otlp_cleared(((struct documents *)s)->part[DTRACE_DOCUMENT_OTLP_METRICS], id);
}

static void take_truncated(struct dt_sink *s, const struct dt_sink_aggs *left)
{
	if (dt_document_profiling(s))
		dt_stacks_truncated(stacks_of(s), left);
}

/* Also one without any element, which the firing that follows refers to. */
static void take_shown(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	if (dt_document_recording(s))
		dt_record_shown(((struct documents *)s)->recording, a);
}

static int take_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	static const struct dt_message_ops ops = { take_value, take_printa, before_effect,
		take_truncated };

	dt_otlp_span_begin(spans_of(s));
	if (dt_document_profiling(s))
		dt_stacks_begin(stacks_of(s));
	dt_message_event(s, &ops, e);
	dt_otlp_span_end(spans_of(s), e);
	if (dt_document_profiling(s))
		dt_stacks_end(stacks_of(s), e);
	if (dt_document_recording(s))
		dt_record_firing(((struct documents *)s)->recording, e);
	return 0;
}

/* ---- all else ---- */

static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	((struct documents *)s)->skew = start->wall - start->time;
	for (int i = 0; i < NPARTS; i++)
		if (types[i]->start != NULL)
			types[i]->start(((struct documents *)s)->part[i], start);
}

static void take_fault(struct dt_sink *s, const dtrace_errdata_t *d, bool has_addr)
{
	dt_sink_openmetrics.fault(((struct documents *)s)->part[DTRACE_DOCUMENT_OPENMETRICS], d, has_addr);
	if (dt_document_recording(s))
		dt_sink_record.fault(((struct documents *)s)->recording, d, has_addr);
}

static void take_drop(struct dt_sink *s, const dtrace_dropdata_t *d, const char *kind)
{
	dt_sink_openmetrics.drop(((struct documents *)s)->part[DTRACE_DOCUMENT_OPENMETRICS], d, kind);
	if (dt_document_recording(s))
		dt_sink_record.drop(((struct documents *)s)->recording, d, kind);
}

static void take_enabled(struct dt_sink *s, const struct dt_sink_clause *c)
{
	if (dt_document_recording(s))
		dt_sink_record.enabled(((struct documents *)s)->recording, c);
}

static void take_symbol(struct dt_sink *s, enum dt_symkind kind, uint32_t pid, uint64_t addr,
    const char *name)
{
	if (dt_document_recording(s))
		dt_sink_record.symbol(((struct documents *)s)->recording, kind, pid, addr, name);
}

/* ---- a recording beside them ---- */

bool dt_document_recording(const struct dt_sink *s)
{
	return s->type == &dt_sink_documents && ((const struct documents *)s)->recording != NULL;
}

static void end_recording(struct documents *d)
{
	dt_sink_close(d->recording);
	dt_arena_free(d->arena);
	free(d->memory);
	d->recording = NULL;
	d->arena = NULL;
	d->memory = NULL;
}

bool dt_document_record(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct documents *d = (struct documents *)s;
	char why[DT_SINK_WHY];
	struct dt_sink_env env = s->env;

	end_recording(d);
	d->arena = env.arena = dt_arena_under(s->env.arena);
	env.memory = &d->memory;
	env.nmemory = &d->nmemory;
	env.why = why;
	if ((d->recording = dt_sink_make(&dt_sink_record, &env)) == NULL)
		return false;
	dt_sink_record.start(d->recording, start);
	return true;
}

void dt_document_recorded(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	dt_record_aggregation((struct dt_record *)((struct documents *)s)->recording, a);
}

bool dt_document_take(struct dt_sink *s, struct dt_out *o)
{
	struct documents *d = (struct documents *)s;

	dt_sink_record.end(d->recording, 0, false);
	if (((struct dt_record *)d->recording)->blocks.err != 0)
		return false;
	dt_out_put(o, d->memory, d->nmemory);
	return true;
}

/* ---- profiles ---- */

bool dt_document_profiling(const struct dt_sink *s)
{
	return s->type == &dt_sink_documents && ((const struct documents *)s)->profiles != NULL;
}

bool dt_document_profile(struct dt_sink *s)
{
	struct documents *d = (struct documents *)s;

	d->profiles = dt_otlp_profiles_open(&s->env, d->skew);
	return d->profiles != NULL;
}

void dt_document_profiled(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	(void)dt_stacks_aggregation(((struct documents *)s)->profiles, a);
}

void dt_document_put_profile(struct dt_sink *s, bool ten, struct dt_out *o)
{
	dt_otlp_profiles_put(((struct documents *)s)->profiles, ten, o);
}

static void close_documents(struct dt_sink *s)
{
	end_recording((struct documents *)s);
	dt_sink_close(((struct documents *)s)->profiles);
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
	.enabled = take_enabled,
	.event = take_event,
	.shown = take_shown,
	.symbol = take_symbol,
	.fault = take_fault,
	.drop = take_drop,
	.snapshot = take_snapshot,
	.aggregation = take_aggs,
};
