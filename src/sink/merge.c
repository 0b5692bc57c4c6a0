/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources, the order of time, and firings of all hosts (see merge.h). Events of sources are copied into
 * arenas of their own and wait in a heap until no source can bring an older one. A printa() waits in a round
 * until each source that is there has brought its own; rounds of a clause are filled in order.
 */
#include "sink/merge_impl.h"

#include "base/clock.h"

#include <stdlib.h>

/* ---- events ---- */

static void free_table(struct merge_table *t) { dt_keys_free(&t->keys); }

void merge_free_event(struct merge_event *e)
{
	for (uint32_t i = 0; i < e->ntables; i++)
		free_table(&e->table[i]);
	dt_arena_free(e->arena);
}

static bool older(const struct merge_event *a, const struct merge_event *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

void merge_push(struct dt_merge *m, struct merge_event *e)
{
	size_t i = m->heap.n;

	e->number = m->next++;
	dt_vec_push(m->arena, &m->heap, e);
	for (; i > 0 && older(e, m->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
		m->heap.v[i] = m->heap.v[(i - 1) / 2];
	m->heap.v[i] = e;
}

static struct merge_event *pop(struct dt_merge *m)
{
	struct merge_event *top = m->heap.v[0], *last = m->heap.v[--m->heap.n];
	size_t i = 0, k;

	for (; (k = 2 * i + 1) < m->heap.n; i = k) {
		if (k + 1 < m->heap.n && older(m->heap.v[k + 1], m->heap.v[k]))
			k++;
		if (!older(m->heap.v[k], last))
			break;
		m->heap.v[i] = m->heap.v[k];
	}
	if (m->heap.n > 0)
		m->heap.v[i] = last;
	return top;
}

/* ---- writing ---- */

static struct dt_aggrow *op_rows(void *ctx, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dt_merge *m = ctx;
	struct merge_event *e = m->doing;
	struct dt_sink_aggs a = { .ids = ids, .nids = nids };

	*n = 0;
	if (e == NULL || e->given >= e->ntables)
		return NULL;
	for (uint32_t i = 0; i < nids && nids > 1; i++)
		if (merge_agg_of(m, ids[i])->keep != 0 && m->why[0] == '\0')
			snprintf(m->why, sizeof(m->why),
			    "printa() of several aggregations after a trunc() to a "
			    "number: with several hosts print each alone");
	a.rows = merge_sorted(m, &e->table[e->given++], n);
	a.n = *n;
	if (m->sink->type->shown != NULL)
		m->sink->type->shown(m->sink, &a);
	return a.rows;
}

/* Hosts have removed what a trunc() without a number removes; who merges last cuts. */
static void op_trunc(void *ctx, int64_t id, int64_t n)
{
	if (!((struct dt_merge *)ctx)->passes)
		merge_agg_of(ctx, id)->keep = n;
}

static const dtrace_recdesc_t *no_desc(const struct dt_sink_event *e, const struct dt_rec *rec)
{
	static const dtrace_recdesc_t none;

	(void)e, (void)rec;
	return &none;
}

/* What one trunc() has cut off would be counted on by the hosts: only where nothing follows, or all begins
 * anew. */
static void check_cut(struct dt_merge *m, const struct merge_event *e)
{
	if (strcmp(e->probe.dtpd_name, "END") == 0)
		return;
	for (uint32_t i = 0; i < m->aggs.n && m->why[0] == '\0'; i++)
		if (((struct merge_agg *)m->aggs.v[i].value)->keep != 0)
			snprintf(m->why, sizeof(m->why),
			    "trunc() to a number in %s: with several hosts it is "
			    "possible in END, or before a trunc() without a number in the same clause",
			    e->probe.dtpd_name);
}

static void write_event(struct dt_merge *m, struct merge_event *e)
{
	struct dt_sink_event out = { .data = &e->data, .ecb = e->ecb, .flow = e->flow, .recs = e->recs,
		.n = e->n, .desc = no_desc };

	m->now = e->time;
	m->late += e->time < m->written;
	m->written = e->time > m->written ? e->time : m->written;
	e->data.dtpda_pdesc = &e->probe;
	e->data.dtpda_edesc = &e->edesc;
	e->data.dtpda_handle = NULL;
	if (e->message != NULL) {
		e->error.dteda_pdesc = &e->probe;
		e->error.dteda_edesc = &e->edesc;
		e->error.dteda_msg = e->message;
		m->sink->type->fault(m->sink, &e->error, e->has_addr);
	} else {
		m->doing = e;
		(void)m->sink->type->event(m->sink, &out);
		m->doing = NULL;
		check_cut(m, e);
	}
	dt_out_clear(&m->out);
	merge_free_event(e);
}

/* Who merges further has to know, also while nothing fires: several times a second, not at each message. */
static void write_passed(struct dt_merge *m, uint64_t until)
{
	if (!m->passes || m->first == NULL || until == UINT64_MAX || until < m->passed + 100000000)
		return;
	m->passed = until;
	m->sink->type->passed(m->sink, until);
}

/* All that no source can bring anything older than. */
static void write_ready(struct dt_merge *m)
{
	uint64_t until = UINT64_MAX;

	merge_end_rounds(m);
	for (size_t i = 0; i < m->sources.n; i++) {
		const struct dt_merge_source *s = m->sources.v[i];

		if (!s->ended && !s->gone && s->seen < until)
			until = s->seen;
	}
	while (m->heap.n > 0 && m->heap.v[0]->time <= until && m->first != NULL && m->why[0] == '\0')
		write_event(m, pop(m));
	write_passed(m, until);
	merge_write_snapshots(m);
	if (m->sink->type->flush != NULL)
		m->sink->type->flush(m->sink);
}

/* ---- what is left at the end ---- */

static void write_last(struct dt_merge *m)
{
	DT_VEC(struct merge_table *) all = { 0 };

	for (size_t i = 0; i < m->sources.n; i++) {
		struct dt_merge_source *s = m->sources.v[i];

		struct merge_table *t;

		for (size_t k = 0; (t = merge_table_of(s, k)) != NULL; k++) {
			size_t at = 0;

			while (at < all.n && (all.v[at]->nids != t->nids ||
			    memcmp(all.v[at]->ids, t->ids, sizeof(all.v[at]->ids)) != 0))
				at++;
			if (at == all.n)
				dt_vec_push(m->arena, &all, t);
			else if (!merge_tables(m, m->arena, all.v[at], t) && m->why[0] == '\0')
				snprintf(m->why, sizeof(m->why),
				    "aggregations of %s are not those of the other "
				    "hosts",
				    s->name);
		}
	}
	for (size_t i = 0; i < all.n; i++) {
		struct dt_sink_aggs a = { .ids = all.v[i]->ids, .nids = all.v[i]->nids };

		a.rows = merge_sorted(m, all.v[i], &a.n);
		if (a.n > 0)
			(void)m->sink->type->aggregation(m->sink, &a);
		dt_out_clear(&m->out);
	}
}

static void write_end(struct dt_merge *m)
{
	int status = 0;
	bool exited = false;

	for (size_t i = 0; i < m->sources.n; i++)
		m->sources.v[i]->gone |= !m->sources.v[i]->ended;
	if (m->fresh)
		m->snapped = 0;			/* what the sources said last is not held back */
	write_ready(m);
	if (m->first == NULL)
		return;
	m->now = m->written > m->snapped ? m->written : m->snapped;
	write_last(m);
	for (size_t i = 0; i < m->sources.n; i++) {
		const struct dt_merge_source *s = m->sources.v[i];

		exited |= s->exited;
		status = status == 0 && s->exited ? s->status : status;
	}
	m->sink->type->end(m->sink, status, exited);
}

/* ---- the merge ---- */

static uint64_t time_now(void *ctx) { return ((struct dt_merge *)ctx)->now; }
static void no_note(void *ctx, const char *text) { (void)ctx, (void)text; }

static const char *agg_name(void *ctx, int64_t id) { return merge_agg_of(ctx, id)->name; }

static struct dt_loc agg_key(void *ctx, int64_t id, uint32_t k)
{
	const struct merge_agg *a = merge_agg_of(ctx, id);

	return k < a->nkeys ? a->keys[k] : (struct dt_loc){ 0 };
}

static void set_up(struct dt_merge *m, int fd, char *why)
{
	struct dt_statement_ops ops = { .ctx = m, .rows = op_rows, .trunc = op_trunc };

	m->spare = dt_arena_under(m->arena);
	dt_map_init(&m->probes, m->arena);
	dt_map_init(&m->ids, m->arena);
	dt_map_init(&m->names, m->arena);
	dt_map_init(&m->places, m->arena);
	dt_map_init(&m->aggs, m->arena);
	m->opts = dt_print_defaults;
	m->opts.symbolize = merge_symbolize;
	m->opts.symctx = m;
	m->caller.all = true;
	m->now = dt_clock_ns();
	dt_out_init(&m->out, NULL, &m->opts);
	dt_statements_init(&m->statements, m->arena, &m->out, &ops);
	m->statements.played = true;
	m->env = (struct dt_sink_env){ .arena = m->arena, .out = &m->out, .statements = &m->statements,
		.aggname = agg_name, .aggkey = agg_key, .now = time_now, .note = no_note, .ctx = m,
		.caller = &m->caller, .record_fd = fd, .why = why };
	m->sink = dt_sink_open(DT_OFORMAT_record, &m->env);
}

static bool try_set_up(struct dt_merge *m, int fd, char *why)
{
	dt_arena_on_oom(m->arena, &m->oom);
	if (setjmp(m->oom) != 0)
		return false;
	set_up(m, fd, why);
	return m->sink != NULL;
}

struct dt_merge *dt_merge_open(
    int fd, const struct dt_aggorder *order, bool passes, uint64_t interval, char *why)
{
	struct dt_merge *m = calloc(1, sizeof(*m));

	why[0] = '\0';
	if (m == NULL || (m->arena = dt_arena_new()) == NULL) {
		free(m);
		return NULL;
	}
	m->order = *order;
	m->passes = passes;
	m->interval = interval;
	if (try_set_up(m, fd, why))
		return m;
	dt_arena_free(m->arena);
	free(m);
	return NULL;
}

static struct dt_merge_source *add_source(struct dt_merge *m, const char *name, int64_t offset)
{
	struct dt_merge_source *s = DT_NEW(m->arena, struct dt_merge_source);

	s->m = m;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->offset = offset;
	s->number = m->sources.n;
	s->opts = dt_print_defaults;
	dt_out_init(&s->out, NULL, &s->opts);
	s->play = (struct dt_play){ .sink = m->interval != 0 ? &merge_snapshot_sink : &merge_source_sink,
		.argument = (const char *)s, .out = &s->out,
		.opts = &s->opts };
	s->player = dt_play_open(&s->play, s->why);
	if (s->player != NULL)
		dt_vec_push(m->arena, &m->sources, s);
	return s->player != NULL ? s : NULL;
}

struct dt_merge_source *dt_merge_add(struct dt_merge *m, const char *name, int64_t offset)
{
	dt_arena_on_oom(m->arena, &m->oom);
	return setjmp(m->oom) == 0 ? add_source(m, name, offset) : NULL;
}

/* The first reason stays: what a player says after a refusal of ours is that it was ended. */
int dt_merge_feed(struct dt_merge *m, struct dt_merge_source *s, const void *bytes, size_t n)
{
	int err;

	dt_arena_on_oom(m->arena, &m->oom);
	if (setjmp(m->oom) != 0) {
		snprintf(m->why, sizeof(m->why), "out of memory");
		return -1;
	}
	if (s->gone || s->ended)
		return s->gone ? -1 : 0;
	err = dt_play_feed(s->player, bytes, n);
	if (err != 0 || s->why[0] != '\0')
		s->gone = true;
	write_ready(m);
	return s->gone ? -1 : 0;
}

void dt_merge_time(struct dt_merge *m, struct dt_merge_source *s, uint64_t time)
{
	dt_arena_on_oom(m->arena, &m->oom);
	if (setjmp(m->oom) != 0)
		return;
	if (merge_our_time(s, time) > s->seen && (int64_t)merge_our_time(s, time) > 0)
		s->seen = merge_our_time(s, time);
	write_ready(m);
}

void dt_merge_leave(struct dt_merge *m, struct dt_merge_source *s)
{
	if (s->ended || s->gone)
		return;
	s->gone = true;
	for (size_t i = 0; i < m->rounds.n; i++)
		m->missing += !merge_took_part(m->rounds.v[i], s);
	dt_arena_on_oom(m->arena, &m->oom);
	if (setjmp(m->oom) == 0)
		write_ready(m);
}

const char *dt_merge_source_why(const struct dt_merge_source *s) { return s->why; }
const char *dt_merge_why(const struct dt_merge *m) { return m->why; }

bool dt_merge_source_ended(const struct dt_merge_source *s, bool *exited)
{
	*exited = s->exited;
	return s->ended;
}

void dt_merge_counts(const struct dt_merge *m, uint64_t *late, uint64_t *missing)
{
	*late = m->late;
	*missing = m->missing;
}

static int try_end(struct dt_merge *m)
{
	dt_arena_on_oom(m->arena, &m->oom);
	if (setjmp(m->oom) != 0)
		return -1;
	write_end(m);
	return m->out.failed || m->why[0] != '\0' ? -1 : 0;
}

int dt_merge_close(struct dt_merge *m)
{
	int err = try_end(m);

	for (size_t i = 0; i < m->sources.n; i++) {
		struct dt_merge_source *s = m->sources.v[i];

		for (size_t k = 0; k < s->last.n; k++)
			free_table(s->last.v[k]);
		merge_free_snapshots(s);
	}
	dt_sink_close(m->sink);
	for (size_t i = 0; i < m->sources.n; i++) {
		(void)dt_play_close(m->sources.v[i]->player);
		dt_out_free(&m->sources.v[i]->out);
	}
	while (m->heap.n > 0)
		merge_free_event(pop(m));
	for (size_t i = 0; i < m->rounds.n; i++)
		merge_free_event(m->rounds.v[i]->event);
	dt_out_free(&m->out);
	dt_arena_free(m->arena);
	free(m);
	return err;
}
