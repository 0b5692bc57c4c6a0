/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sink of a trace (src/sink): which one it is, and its calls at the beginning and the end. The sink hears
 * of the programs before anything else and of the end at most once.
 */
#include "trace/trace.h"
#include "base/clock.h"
#include "base/host.h"
#include "base/outfile.h"
#include "sink/documents.h"

#include <errno.h>
#include <unistd.h>

/* NULL: no aggregation has that number. */
static const struct dt_agglayout *agg_layout(struct dt_trace *t, int64_t id)
{
	struct dt_agg *agg = id >= 0 && id <= UINT32_MAX ? dt_consumer_agg(t->consumer, (uint32_t)id) : NULL;

	return agg != NULL ? agg->layout : NULL;
}

/* dt_sink_env.aggname: the name in the program, for structured formats. */
static const char *agg_name(void *ctx, int64_t id)
{
	const struct dt_agglayout *l = agg_layout(ctx, id);

	return l != NULL ? l->name : NULL;
}

/* dt_sink_env.aggkey: where the program says key k, so that a format can name it by its source. */
static struct dt_loc agg_key_place(void *ctx, int64_t id, uint32_t k)
{
	const struct dt_agglayout *l = agg_layout(ctx, id);

	return l != NULL && k < l->nkeys ? l->key_act[k]->loc : (struct dt_loc){ 0 };
}

/* dt_sink_env.now */
static uint64_t time_now(void *ctx)
{
	(void)ctx;
	return dt_clock_ns();
}

/* dt_sink_env.note */
static void note(void *ctx, const char *text)
{
	struct dt_trace *t = ctx;

	dt_handle_note(t->h, dt_arena_strdup(t->arena, text));
}

/* Makes the sink that -x oformat names. The environment points into the trace, which outlives the sink. */
int dt_trace_sink(struct dtrace_hdl *h, struct dt_trace *t)
{
	char why[DT_SINK_WHY] = "";
	struct dt_sink_env env = { .arena = t->arena, .out = &t->out, .statements = &t->statements,
		.aggname = agg_name,
		.aggkey = agg_key_place, .now = time_now, .note = note, .ctx = t, .caller = &t->caller,
		.argument = h->options.str[DT_OPT_oformat],
		.program = h->documents[0] != '\0' ? h->documents : NULL, .host = h->documents_host,
		.record_fd = h->record_fd, .record_limit = h->record_limit, .why = why };

	t->sink = env.program != NULL ? dt_sink_make(&dt_sink_documents, &env) :
	    dt_sink_open((unsigned)h->options.val[DT_OPT_oformat], &env);
	if (t->sink != NULL)
		return 0;
	return why[0] != '\0' ? dt_handle_errorf(h, EINVAL, "%s", why) : dt_handle_error(h, EDT_NOMEM);
}

int dtrace_oformat(dtrace_hdl_t *h)
{
	return dt_sink_oformat((unsigned)h->options.val[DT_OPT_oformat]);
}

FILE *dtrace_outfile(const char *path, int append)
{
	return dt_outfile(path, append != 0, false);
}

/* ---- the beginning ---- */

/* One clause and the probes it is enabled on; returns how many enablings that are. */
static size_t describe_clause(struct dt_arena *arena, const struct dt_enabled *e, size_t n,
    struct dt_sink_clause *c)
{
	const struct dt_probedesc *d = &e->ecb->probe;
	uint32_t *probes;
	size_t same = 0;

	while (same < n && e[same].ecb == e->ecb)
		same++;
	probes = DT_NEWN(arena, uint32_t, same);
	for (size_t i = 0; i < same; i++)
		probes[i] = e[i].probe->id;
	c->description = d->id != 0 ? dt_arena_printf(arena, "%u", d->id) :
	    dt_arena_printf(arena, "%s:%s:%s:%s", d->prov, d->mod, d->func, d->name);
	c->line = e->ecb->loc.src != NULL ? dt_loc_place(e->ecb->loc).line : 0;
	c->epid = e->epid;
	c->probes = probes;
	c->nprobes = (uint32_t)same;
	return same;
}

/*
 * Lists the clauses of all programs with their probes. Enablings without a probe (rooms for later ones) are
 * left out.
 */
static void describe_programs(struct dt_trace *t, struct dt_arena *arena, struct dt_sink_start *start)
{
	struct dt_sink_clause *clauses = DT_NEWN(arena, struct dt_sink_clause, t->enabled.n + 1);

	for (uint32_t p = 0; p < t->progs.n; p++)
		for (size_t i = 0; i < t->enabled.n;) {
			const struct dt_enabled *e = &t->enabled.v[i];
			struct dt_sink_clause *c = &clauses[start->nclauses];

			if (e->prog != t->progs.v[p] || e->probe->id == 0) {
				i++;
				continue;
			}
			c->program = p;
			c->ecb = e->ecb;
			i += describe_clause(arena, e, t->enabled.n - i, c);
			start->nclauses++;
		}
	start->clauses = clauses;
}

/* In the order of programs. One without a clause has no text. */
static void describe_sources(struct dt_trace *t, struct dt_arena *arena, struct dt_sink_start *start)
{
	const char **sources = DT_NEWN(arena, const char *, t->progs.n + 1);

	for (size_t i = 0; i < t->progs.n; i++) {
		const struct dt_prog *p = t->progs.v[i];
		const struct dt_source *src = p->necbs > 0 ? p->ecbs[0].loc.src : NULL;

		sources[i] = src != NULL ? src->text : NULL;
	}
	start->sources = sources;
}

static struct dt_sink_start describe_start(struct dt_trace *t, struct dt_arena *arena)
{
	struct dt_sink_start start = { .pid = getpid(), .time = dt_clock_ns(), .wall = dt_clock_wall_ns(),
		.nprograms = (uint32_t)t->progs.n, .programs = t->progs.v };
	struct dt_hostinfo host;

	describe_programs(t, arena, &start);
	describe_sources(t, arena, &start);
	dt_hostinfo_read(&host);
	start.host = dt_arena_strdup(arena, host.uname.nodename);
	return start;
}

/* Called before anything is written; does its work once. */
void dt_trace_sink_start(struct dt_trace *t)
{
	struct dt_sink_start start;
	struct dt_arena *arena;

	if (t->sink->env.started)
		return;
	t->sink->env.started = true;
	if (t->sink->type->start == NULL)
		return;
	arena = dt_arena_under(t->arena);
	start = describe_start(t, arena);
	t->sink->type->start(t->sink, &start);
	dt_arena_free(arena);
}

/* ---- in between ---- */

/* What was enabled since entry `from` of t->enabled, while tracing. */
void dt_trace_sink_enabled(struct dt_trace *t, size_t from)
{
	struct dt_arena *arena;

	if (t->sink == NULL || !t->sink->env.started || t->sink->type->enabled == NULL)
		return;
	arena = dt_arena_under(t->arena);
	while (from < t->enabled.n) {
		const struct dt_enabled *e = &t->enabled.v[from];
		struct dt_sink_clause c = { .ecb = e->ecb };

		while (c.program < t->progs.n && t->progs.v[c.program] != e->prog)
			c.program++;
		from += describe_clause(arena, e, t->enabled.n - from, &c);
		if (e->probe->id != 0 && c.program < t->progs.n)
			t->sink->type->enabled(t->sink, &c);
	}
	dt_arena_free(arena);
}

/* After a snapshot, to the sinks that follow aggregations over time. */
void dt_trace_sink_snapshot(struct dtrace_hdl *h)
{
	struct dt_trace *t = h->trace;

	if (t->sink == NULL || !t->sink->env.started || t->sink->type->snapshot == NULL)
		return;
	for (uint32_t i = 0, n = dt_consumer_naggs(t->consumer); i < n; i++) {
		int64_t id = dt_consumer_agg_at(t->consumer, i)->layout->id;
		struct dt_sink_aggs aggs = { .ids = &id, .nids = 1 };

		aggs.rows = dt_trace_sorted(h, &id, 1, &aggs.n);	/* none: trunc() has removed all */
		t->sink->type->snapshot(t->sink, &aggs);
	}
}

/* ---- a recording beside documents ---- */

/* Aggregations of what was counted since the last one began. */
static void record_since(struct dtrace_hdl *h)
{
	struct dt_trace *t = h->trace;

	dt_consumer_swap(t->consumer);
	for (uint32_t i = 0, n = dt_consumer_naggs(t->consumer); i < n; i++) {
		int64_t id = dt_consumer_agg_at(t->consumer, i)->layout->id;
		struct dt_sink_aggs aggs = { .ids = &id, .nids = 1 };

		aggs.rows = dt_trace_sorted(h, &id, 1, &aggs.n);
		if (aggs.n > 0)
			dt_document_recorded(t->sink, &aggs);
	}
	dt_consumer_swap(t->consumer);
}

int dt_trace_sink_recording(struct dtrace_hdl *h, struct dt_out *o)
{
	struct dt_trace *t = h->trace;
	struct dt_sink_start start;
	struct dt_arena *arena;
	bool good;

	if (t->sink->type != &dt_sink_documents || t->consumer == NULL)
		return EINVAL;
	if (dt_document_recording(t->sink)) {
		record_since(h);
		if (!dt_document_take(t->sink, o))
			return EDT_NOMEM;
	}
	if (dt_consumer_since(t->consumer) != 0)
		return EDT_NOMEM;
	arena = dt_arena_under(t->arena);
	start = describe_start(t, arena);
	good = dt_document_record(t->sink, &start);
	dt_arena_free(arena);
	return good ? 0 : EDT_NOMEM;
}

int dt_trace_sink_profile(struct dtrace_hdl *h, bool ten, struct dt_out *o)
{
	struct dt_trace *t = h->trace;

	if (t->sink->type != &dt_sink_documents)
		return EINVAL;
	dt_trace_sink_start(t);
	if (!dt_document_profiling(t->sink))
		return dt_document_profile(t->sink) ? 0 : EDT_NOMEM;
	for (uint32_t i = 0, n = dt_consumer_naggs(t->consumer); i < n; i++) {
		int64_t id = dt_consumer_agg_at(t->consumer, i)->layout->id;
		struct dt_sink_aggs aggs = { .ids = &id, .nids = 1 };

		aggs.rows = dt_trace_sorted(h, &id, 1, &aggs.n);
		dt_document_profiled(t->sink, &aggs);
	}
	dt_document_put_profile(t->sink, ten, o);
	return 0;
}

/* ---- the end ---- */

/* The end is written with the aggregations, when tracing has stopped. */
void dt_trace_sink_end(struct dtrace_hdl *h)
{
	struct dt_trace *t = h->trace;

	if (t->state != DT_TRACE_STOPPED || t->sink->env.ended || t->sink->type->end == NULL)
		return;
	t->sink->env.ended = true;
	t->sink->type->end(t->sink, h->exitstatus, dt_trace_control(t)->exited != 0);
}
