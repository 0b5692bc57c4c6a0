/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sources of a merge: what the player of each reads becomes events of ours, in arenas of their own. A
 * printa() waits in a round until each source that is there has brought its own; rounds of a clause are
 * filled in order.
 */
#include "sink/merge_impl.h"

/* ---- what cannot be merged ---- */

static void refuse(struct dt_merge *m, const char *what, const char *where)
{
	if (m->why[0] == '\0')
		snprintf(m->why, sizeof(m->why),
		    "%s in %s: with several hosts this is possible in BEGIN, END and "
		    "tick- probes alone, which are one firing of all hosts",
		    what, where);
}

static bool is_common(const char *name)
{
	return strcmp(name, "BEGIN") == 0 || strcmp(name, "END") == 0 || strncmp(name, "tick-", 5) == 0;
}

static bool shows(const struct dt_ecb *ecb)
{
	for (uint32_t i = 0; i < ecb->nacts; i++)
		if (ecb->acts[i].kind == DT_ACT_PRINTA)
			return true;
	return false;
}

/* Aggregations are those of all hosts: a probe of one cannot show or change them. */
static void check_clause(struct dt_merge *m, const struct dt_sink_clause *c)
{
	for (uint32_t i = 0; i < c->ecb->nacts; i++)
		if (dt_act_is(&c->ecb->acts[i], DT_AF_SHOWS_AGGS) && m->interval != 0 && m->why[0] == '\0')
			snprintf(m->why, sizeof(m->why),
			    "%s in %s: with several hosts a format that follows aggregations over time shows "
			    "them itself: leave it out",
			    dt_action_of(&c->ecb->acts[i])->names->name, c->description);
		else if (dt_act_is(&c->ecb->acts[i], DT_AF_SHOWS_AGGS) && !is_common(c->ecb->probe.name))
			refuse(m, dt_action_of(&c->ecb->acts[i])->names->name, c->description);
}

/* ---- names of probes, clauses ---- */

/* The id of a probe on our side: that of its name. */
static uint32_t probe_id(struct dt_merge *m, const dtrace_probedesc_t *p)
{
	const char *name = dt_arena_printf(
	    m->spare, "%s:%s:%s:%s", p->dtpd_provider, p->dtpd_mod, p->dtpd_func, p->dtpd_name);
	uintptr_t id = (uintptr_t)dt_map_get(&m->probes, name);
	char key[16];

	if (id != 0)
		return (uint32_t)id;
	for (id = p->dtpd_id != 0 ? p->dtpd_id : 1;; id = id < 0x40000000 ? 0x40000000 : id + 1) {
		snprintf(key, sizeof(key), "%u", (uint32_t)id);
		if (dt_map_get(&m->ids, key) == NULL)
			break;
	}
	dt_map_put(&m->ids, key, m);
	dt_map_put(&m->probes, name, (void *)id);
	return (uint32_t)id;
}

/* The same clause of the programs that are written; NULL: it has none. */
static const struct dt_ecb *our_clause(struct dt_merge_source *s, const struct dt_ecb *ecb)
{
	const struct dt_merge_source *first = s->m->first;

	for (uint32_t p = 0; p < s->nprograms; p++)
		if (ecb >= s->programs[p]->ecbs && ecb < s->programs[p]->ecbs + s->programs[p]->necbs)
			return &first->programs[p]->ecbs[ecb - s->programs[p]->ecbs];
	return NULL;
}

/* The hosts compiled one text: clauses have the same actions, whatever the types of their kernels are. */
static bool same_programs(const struct dt_merge_source *a, const struct dt_merge_source *b)
{
	if (a->nprograms != b->nprograms)
		return false;
	for (uint32_t p = 0; p < a->nprograms; p++) {
		const struct dt_prog *x = a->programs[p], *y = b->programs[p];

		if (x->necbs != y->necbs)
			return false;
		for (uint32_t i = 0; i < x->necbs; i++) {
			if (x->ecbs[i].nacts != y->ecbs[i].nacts)
				return false;
			for (uint32_t k = 0; k < x->ecbs[i].nacts; k++)
				if (x->ecbs[i].acts[k].kind != y->ecbs[i].acts[k].kind)
					return false;
		}
	}
	return true;
}

/* ---- the sink of a source: what its player reads ---- */

static struct dt_merge_source *source_of(const struct dt_sink *sink)
{
	return (struct dt_merge_source *)(uintptr_t)sink->env.argument;
}

uint64_t merge_our_time(const struct dt_merge_source *s, uint64_t t) { return t - (uint64_t)s->offset; }

static void source_start(struct dt_sink *sink, const struct dt_sink_start *start)
{
	struct dt_merge_source *s = source_of(sink);
	struct dt_merge *m = s->m;

	s->programs = start->programs;
	s->nprograms = start->nprograms;
	s->started = true;
	if (m->first != NULL) {
		if (!same_programs(m->first, s))
			snprintf(s->why, sizeof(s->why), "its program has other actions than that of %s",
			    m->first->name[0] != '\0' ? m->first->name : "the first hosts");
		return;
	}
	m->first = s;
	for (size_t i = 0; i < start->nclauses; i++)
		check_clause(m, &start->clauses[i]);
	m->now = merge_our_time(s, start->time);
	m->sink->env.started = true;
	m->sink->type->start(m->sink, start);
}

static const char *agg_name_of(struct dt_merge_source *s, struct dt_sink *sink, int64_t id, uint32_t nkeys)
{
	struct merge_agg *a = merge_agg_of(s->m, id);
	const char *name = sink->env.aggname(sink->env.ctx, id);

	if (a->name != NULL || name == NULL)
		return name;
	a->name = dt_arena_strdup(s->m->arena, name);
	a->keys = DT_NEWN(s->m->arena, struct dt_loc, nkeys + 1);
	a->nkeys = nkeys;
	for (uint32_t k = 0; k < nkeys; k++) /* sources live as long as the merge, and so do these */
		a->keys[k] = sink->env.aggkey(sink->env.ctx, id, k);
	return name;
}

/* An id means the same aggregation on all hosts: by name, and rows are checked when they are added. */
static bool take_table(struct dt_merge_source *s, struct dt_sink *sink, struct dt_arena *arena,
    struct merge_table *t, const struct dt_sink_aggs *a)
{
	if (a->nids > sizeof(t->ids) / sizeof(t->ids[0]))
		return false;
	t->nids = a->nids;
	memcpy(t->ids, a->ids, a->nids * sizeof(*a->ids));
	for (uint32_t i = 0; i < a->nids && a->n > 0; i++) {
		const char *name = agg_name_of(s, sink, a->ids[i], a->rows[0].nkeys);
		const char *ours = merge_agg_of(s->m, a->ids[i])->name;

		if (name == NULL || ours == NULL || strcmp(name, ours) != 0)
			return false;
	}
	return merge_rows(s, arena, t, a->rows, a->n);
}

static struct merge_event *new_event(struct dt_merge_source *s, const dtrace_probedesc_t *p)
{
	struct dt_arena *arena = dt_arena_under(s->m->arena);
	struct merge_event *e = DT_NEW(arena, struct merge_event);

	e->arena = arena;
	e->probe = *p;
	dt_arena_reset(s->m->spare);
	e->probe.dtpd_id = probe_id(s->m, p);
	return e;
}

/* Each printa() of the firing asks for its elements in order, as the statement does when it is printed. */
static bool take_tables(struct dt_merge_source *s, struct dt_sink *sink, struct merge_event *e,
    const struct dt_sink_event *from)
{
	struct dt_statements *st = sink->env.statements;

	e->table = DT_NEWN(e->arena, struct merge_table, MERGE_TABLES);
	for (size_t at = 0, len; (len = dt_statement_next(from->recs, from->n, &at)) > 0; at += len) {
		struct dt_sink_aggs a = { .nids = (uint32_t)len };

		if (from->recs[at].act->kind != DT_ACT_PRINTA)
			continue;
		if (e->ntables == MERGE_TABLES || len > sizeof(e->table[0].ids) / sizeof(e->table[0].ids[0]))
			return false;
		a.ids = dt_statement_ids(st, from->recs + at, len);
		a.rows = st->ops.rows(st->ops.ctx, a.ids, a.nids, &a.n);
		if (!take_table(s, sink, e->arena, &e->table[e->ntables++], &a))
			return false;
	}
	return true;
}

static void copy_records(struct dt_merge_source *s, struct merge_event *e, const struct dt_sink_event *from)
{
	e->n = from->n;
	e->recs = DT_NEWN(e->arena, struct dt_rec, from->n + 1);
	for (size_t i = 0; i < from->n; i++) {
		e->recs[i] = from->recs[i];
		e->recs[i].act = &e->ecb->acts[i];
		e->recs[i].data = dt_arena_memdup(e->arena, from->recs[i].data, from->recs[i].len);
		merge_record(s, &e->recs[i]);
	}
}

/* ---- rounds ---- */

bool merge_took_part(const struct merge_round *r, const struct dt_merge_source *s)
{
	return s->number < r->from.n && r->from.v[s->number];
}

static void take_part(struct merge_round *r, const struct dt_merge_source *s)
{
	while (r->from.n <= s->number)
		dt_vec_push(r->event->arena, &r->from, false);
	r->from.v[s->number] = true;
}

static bool same_tables(const struct merge_event *a, const struct merge_event *b)
{
	return a->ntables == b->ntables && a->n == b->n;
}

/* The firing joins the first round of its clause that the source is not in, or begins one. */
static bool join_round(struct dt_merge_source *s, struct merge_event *e)
{
	struct dt_merge *m = s->m;
	struct merge_round *r;
	bool fits = true;

	for (size_t i = 0; i < m->rounds.n; i++) {
		r = m->rounds.v[i];
		if (r->event->ecb != e->ecb || r->event->probe.dtpd_id != e->probe.dtpd_id ||
		    merge_took_part(r, s) || !same_tables(r->event, e))
			continue;
		for (uint32_t k = 0; k < e->ntables && fits; k++)
			fits =
			    memcmp(r->event->table[k].ids, e->table[k].ids, sizeof(e->table[k].ids)) == 0 &&
			    merge_tables(m, r->event->arena, &r->event->table[k], &e->table[k]);
		r->event->time = e->time > r->event->time ? e->time : r->event->time;
		take_part(r, s);
		merge_free_event(e);
		return fits;
	}
	r = DT_NEW(e->arena, struct merge_round);	/* it ends with the firing */
	r->event = e;
	r->sources = m->sources.n;
	take_part(r, s);
	dt_vec_push(m->arena, &m->rounds, r);
	return true;
}

/* Sources that were added after the round began may take part, but it does not wait for them. */
static bool is_complete(const struct dt_merge *m, struct merge_round *r)
{
	for (; r->first < r->sources; r->first++) {
		const struct dt_merge_source *s = m->sources.v[r->first];

		if (!s->ended && !s->gone && !merge_took_part(r, s))
			return false;
	}
	return true;
}

void merge_end_rounds(struct dt_merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->rounds.n; i++) {
		if (is_complete(m, m->rounds.v[i]))
			merge_push(m, m->rounds.v[i]->event);
		else
			m->rounds.v[n++] = m->rounds.v[i];
	}
	m->rounds.n = n;
}

/* ---- firings of a source ---- */

static int source_event(struct dt_sink *sink, const struct dt_sink_event *from)
{
	struct dt_merge_source *s = source_of(sink);
	struct merge_event *e;

	if (s->why[0] != '\0' || (e = new_event(s, from->data->dtpda_pdesc)) == NULL)
		return EDT_DIRABORT;
	e->ecb = our_clause(s, from->ecb);
	e->data = *from->data;
	e->edesc = *from->data->dtpda_edesc;
	e->edesc.dtepd_probeid = e->probe.dtpd_id;
	e->data.dtpda_prefix = dt_arena_strdup(e->arena, from->data->dtpda_prefix);
	e->flow = from->flow;
	e->time = e->data.dtpda_timestamp = merge_our_time(s, from->data->dtpda_timestamp);
	if (e->ecb == NULL || !take_tables(s, sink, e, from)) {
		snprintf(s->why, sizeof(s->why), "its aggregations are not those of the other hosts");
		return EDT_DIRABORT;
	}
	copy_records(s, e, from);
	s->seen = e->time > s->seen ? e->time : s->seen;
	if (!shows(e->ecb))
		merge_push(s->m, e);
	else if (!join_round(s, e)) {
		snprintf(s->why, sizeof(s->why), "its aggregations are not those of the other hosts");
		return EDT_DIRABORT;
	}
	return 0;
}

static void source_fault(struct dt_sink *sink, const dtrace_errdata_t *d, bool has_addr)
{
	struct dt_merge_source *s = source_of(sink);
	struct merge_event *e = new_event(s, d->dteda_pdesc);

	e->time = merge_our_time(s, sink->env.now(sink->env.ctx));
	e->message =
	    dt_arena_printf(e->arena, "%s%s%s", s->name, s->name[0] != '\0' ? ": " : "", d->dteda_msg);
	e->error = *d;
	e->edesc = *d->dteda_edesc;
	e->has_addr = has_addr;
	merge_push(s->m, e);
}

/* Drops do not wait: they say nothing of order. */
static void source_drop(struct dt_sink *sink, const dtrace_dropdata_t *d, const char *kind)
{
	struct dt_merge_source *s = source_of(sink);
	dtrace_dropdata_t ours = *d;

	if (s->m->first == NULL)
		return;
	dt_arena_reset(s->m->spare);
	ours.dtdda_msg =
	    dt_arena_printf(s->m->spare, "%s%s%s", s->name, s->name[0] != '\0' ? ": " : "", d->dtdda_msg);
	if ((unsigned)d->dtdda_kind < MERGE_DROPS)
		ours.dtdda_total = s->m->dropped[d->dtdda_kind] += d->dtdda_drops;
	s->m->sink->type->drop(s->m->sink, &ours, kind);
}

/* It is a merge itself, and says what it waits for no longer. */
static void source_passed(struct dt_sink *sink, uint64_t time)
{
	struct dt_merge_source *s = source_of(sink);
	uint64_t ours = merge_our_time(s, time);

	if ((int64_t)ours > 0 && ours > s->seen)
		s->seen = ours;
}

static void source_snapshot(struct dt_sink *sink, const struct dt_sink_aggs *a)
{
	struct dt_merge_source *s = source_of(sink);
	struct dt_arena *arena;
	struct merge_table *t;

	if (s->why[0] != '\0' || a->nids != 1)
		return;
	t = merge_new_snapshot(s, a->ids[0], &arena);
	if (!take_table(s, sink, arena, t, a))
		snprintf(s->why, sizeof(s->why), "its aggregations are not those of the other hosts");
}

static int source_aggregation(struct dt_sink *sink, const struct dt_sink_aggs *a)
{
	struct dt_merge_source *s = source_of(sink);
	struct merge_table *t = DT_NEW(s->m->arena, struct merge_table);

	if (take_table(s, sink, s->m->arena, t, a)) {
		dt_vec_push(s->m->arena, &s->last, t);
		return 0;
	}
	snprintf(s->why, sizeof(s->why), "its aggregations are not those of the other hosts");
	return EDT_DIRABORT;
}

static void source_end(struct dt_sink *sink, int status, bool exited)
{
	struct dt_merge_source *s = source_of(sink);

	if (!s->play.ended)			/* the player is closed, and the stream had no end */
		return;
	s->ended = true;
	s->exited = exited;
	s->status = status;
}

const struct dt_sink_type merge_source_sink = {
	.oformat = DTRACE_OFORMAT_TEXT, .size = sizeof(struct dt_sink), .start = source_start,
	.event = source_event, .fault = source_fault, .drop = source_drop, .aggregation = source_aggregation,
	.passed = source_passed, .end = source_end,
};

const struct dt_sink_type merge_snapshot_sink = {
	.oformat = DTRACE_OFORMAT_TEXT, .size = sizeof(struct dt_sink), .start = source_start,
	.event = source_event, .fault = source_fault, .drop = source_drop, .snapshot = source_snapshot,
	.aggregation = source_aggregation, .passed = source_passed, .end = source_end,
};

