/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regular snapshots of all hosts, for formats that follow aggregations over time. Each source keeps its last
 * one; what is written at intervals is their sum. A source that is gone keeps its part: a counter that goes
 * back would be read as one that began anew, and what was counted twice.
 */
#include "sink/merge_impl.h"

#include "base/clock.h"

/* ---- of a source ---- */

struct merge_table *merge_new_snapshot(struct dt_merge_source *s, int64_t id, struct dt_arena **arena)
{
	struct dt_arena *top = s->m->arena;
	struct merge_snapshot *snap = NULL;

	for (size_t i = 0; i < s->snapshots.n && snap == NULL; i++)
		if (s->snapshots.v[i]->table.ids[0] == id)
			snap = s->snapshots.v[i];
	if (snap == NULL) {
		snap = DT_NEW(top, struct merge_snapshot);
		dt_vec_push(top, &s->snapshots, snap);
	} else {
		dt_keys_free(&snap->table.keys);
		dt_arena_free(snap->arena);
	}
	snap->table = (struct merge_table){ .ids = { id }, .nids = 1 };
	*arena = snap->arena = dt_arena_under(top);
	s->m->fresh = true;
	return &snap->table;
}

void merge_free_snapshots(struct dt_merge_source *s)
{
	for (size_t i = 0; i < s->snapshots.n; i++) {
		dt_keys_free(&s->snapshots.v[i]->table.keys);
		dt_arena_free(s->snapshots.v[i]->arena);
	}
	s->snapshots.n = 0;
}

struct merge_table *merge_table_of(struct dt_merge_source *s, size_t i)
{
	if (s->ended)
		return i < s->last.n ? s->last.v[i] : NULL;
	return i < s->snapshots.n ? &s->snapshots.v[i]->table : NULL;
}

/* ---- of all ---- */

static void write_sum(struct dt_merge *m, int64_t id)
{
	struct dt_arena *arena = dt_arena_under(m->arena);
	struct merge_table sum = { .ids = { id }, .nids = 1 };
	struct dt_sink_aggs a = { .ids = sum.ids, .nids = 1 };
	struct merge_table *t;

	for (size_t i = 0; i < m->sources.n; i++)
		for (size_t k = 0; (t = merge_table_of(m->sources.v[i], k)) != NULL; k++)
			if (t->nids == 1 && t->ids[0] == id && !merge_tables(m, arena, &sum, t) &&
			    m->why[0] == '\0')
				snprintf(m->why, sizeof(m->why),
				    "aggregations of %s are not those of the other hosts",
				    m->sources.v[i]->name);
	a.rows = merge_sorted(m, &sum, &a.n);
	if (a.n > 0)
		m->sink->type->snapshot(m->sink, &a);
	dt_out_clear(&m->out);
	dt_keys_free(&sum.keys);
	dt_arena_free(arena);
}

void merge_write_snapshots(struct dt_merge *m)
{
	uint64_t now = dt_clock_ns();
	DT_VEC(int64_t) done = { 0 };
	struct merge_table *t;

	if (m->interval == 0 || m->past || !m->fresh || m->first == NULL || now < m->snapped + m->interval)
		return;
	m->fresh = false;
	m->snapped = m->now = now;
	for (size_t i = 0; i < m->sources.n; i++)
		for (size_t k = 0; (t = merge_table_of(m->sources.v[i], k)) != NULL; k++) {
			size_t at = 0;

			while (at < done.n && done.v[at] != t->ids[0])
				at++;
			if (at < done.n)
				continue;
			dt_vec_push(m->spare, &done, t->ids[0]);
			write_sum(m, t->ids[0]);
		}
}
