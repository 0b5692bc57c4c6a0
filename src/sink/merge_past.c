/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A merge of the past: any number of sources, one after the other. What each counted is added to one sum for
 * each aggregation, and a source that has ended is used again for the next, but for those whose program is
 * that of what is written.
 */
#include "sink/merge_impl.h"

#include <string.h>

/* ---- sums ---- */

static struct merge_table *sum_of(struct dt_merge *m, const struct merge_table *like)
{
	struct merge_table *t;

	for (size_t i = 0; i < m->sums.n; i++)
		if (m->sums.v[i]->nids == like->nids &&
		    memcmp(m->sums.v[i]->ids, like->ids, sizeof(like->ids)) == 0)
			return m->sums.v[i];
	t = DT_NEW(m->arena, struct merge_table);
	t->nids = like->nids;
	memcpy(t->ids, like->ids, sizeof(t->ids));
	dt_vec_push(m->arena, &m->sums, t);
	return t;
}

bool merge_past_add(struct dt_merge_source *s, const struct merge_table *piece)
{
	s->m->fresh = true;
	return merge_tables(s->m, s->m->arena, sum_of(s->m, piece), piece);
}

static void write_snapshot(struct dt_merge *m, uint64_t time)
{
	if (m->interval == 0 || !m->fresh || m->first == NULL || time < m->snapped + m->interval)
		return;
	m->fresh = false;
	m->snapped = m->now = time;
	for (size_t i = 0; i < m->sums.n; i++) {
		struct dt_sink_aggs a = { .ids = m->sums.v[i]->ids, .nids = m->sums.v[i]->nids };

		a.n = m->sums.v[i]->rows.n;
		a.rows = m->sums.v[i]->rows.v;
		if (a.nids == 1 && a.n > 0)
			m->sink->type->snapshot(m->sink, &a);
	}
	dt_out_clear(&m->out);
}

void merge_past_write(struct dt_merge *m)
{
	for (size_t i = 0; i < m->sums.n; i++) {
		struct dt_sink_aggs a = { .ids = m->sums.v[i]->ids, .nids = m->sums.v[i]->nids };

		a.rows = merge_sorted(m, m->sums.v[i], &a.n);
		if (a.n > 0)
			(void)m->sink->type->aggregation(m->sink, &a);
		dt_out_clear(&m->out);
	}
}

/* ---- sources ---- */

/* Wall times: hosts that were started again, and others, have no other clock in common. */
int merge_past_host(void *ctx, const struct dt_host *h)
{
	((struct dt_merge_source *)ctx)->offset = (int64_t)(h->monotonic - h->wall);
	return 0;
}

void merge_past_end(struct dt_merge_source *s)
{
	if (s->ended)
		write_snapshot(s->m, s->m->latest);
	if (s->needed || s->closed)
		return;
	(void)dt_play_close(s->player);
	dt_out_free(&s->out);
	s->closed = true;
}

struct dt_merge_source *merge_past_again(struct dt_merge *m)
{
	for (size_t i = 0; i < m->sources.n; i++) {
		struct dt_merge_source *s = m->sources.v[i];
		size_t number = s->number;

		if (!s->closed)
			continue;
		*s = (struct dt_merge_source){ .number = number };
		return s;
	}
	return NULL;
}
