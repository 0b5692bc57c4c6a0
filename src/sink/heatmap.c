/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms over time as one page (doc/FORMATS.md). Whenever aggregations are taken over from the kernel or
 * printed, what each bucket of quantize(), lquantize() and llquantize() has counted since the time before
 * goes to the page as a line, at once; the script of the page (page.h) draws the lines.
 *
 * Only the last counts of each series are kept. A bucket that counts less than before was cleared: all of it
 * is new.
 */
#include "base/map.h"
#include "sink/page.h"
#include "sink/messages.h"

#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"

#include <stdlib.h>

struct series {
	uint32_t number;
	uint32_t n;			/* buckets */
	int64_t *last;			/* what each had counted */
	bool kept;			/* by the current trunc() */
	bool *known;			/* its bounds are written */
};

struct heatmap {
	struct dt_sink sink;
	struct dt_map series;		/* "id, name, keys" → struct series */
	uint64_t start;			/* of the trace */
	bool begun;
	struct dt_out key, one, line;	/* the series in hand, a key of it, a line */
	struct dt_out about;
};

/* All lines go through here: only then % and < cannot come from a name. */
static void put_line(struct heatmap *h)
{
	struct dt_out *o = h->sink.env.out;

	if (!h->begun) {
		dt_page_begin(o);
		dt_page_about(o, &h->about, 0);
		dt_page_open(o, "data");
		h->begun = true;
	}
	dt_page_put(o, dt_out_text(&h->line), h->line.len);
	dt_out_clear(&h->line);
}

/* ---- series ---- */

static struct series *series_of(struct heatmap *h, const char *name, int64_t id, const struct dt_aggrow *row,
    uint32_t nbuckets)
{
	struct dt_arena *arena = h->sink.env.arena;
	struct series *s;
	size_t from;

	dt_out_clear(&h->key);
	dt_out_printf(&h->key, "%lld\t@%s\t", (long long)id, name);
	from = (size_t)(strchr(dt_out_text(&h->key), '\t') - dt_out_text(&h->key));
	for (uint32_t k = 0; k < row->nkeys; k++) {
		dt_out_clear(&h->one);
		dt_message_key(&h->one, &row->keys[k]);
		dt_out_str(&h->key, k > 0 ? ", " : "");
		dt_message_clean(&h->key, dt_out_text(&h->one), h->one.len, '\t', 0);
	}
	s = dt_map_get(&h->series, dt_out_text(&h->key));
	if (s != NULL && s->n == nbuckets)
		return s;
	s = DT_NEW(arena, struct series);
	s->number = h->series.n;
	s->n = nbuckets;
	s->last = DT_NEWN(arena, int64_t, nbuckets);
	s->known = DT_NEWN(arena, bool, nbuckets);
	dt_map_put(&h->series, dt_out_text(&h->key), s);
	dt_out_printf(&h->line, "series\t%u%s\n", s->number, dt_out_text(&h->key) + from);
	put_line(h);
	return s;
}

/* The ends of a bucket, once; one that is open at a side leaves it empty. */
static void put_bounds(struct heatmap *h, struct series *s, const struct dt_buckets *b, uint32_t i)
{
	struct dt_bucket_bounds bounds = dt_buckets_bounds(b, i);

	if (s->known[i])
		return;
	s->known[i] = true;
	dt_out_printf(&h->line, "bucket\t%u\t%u\t", s->number, i);
	if (bounds.has_min)
		dt_out_int(&h->line, bounds.min, 0, false);
	dt_out_str(&h->line, "\t");
	if (bounds.has_max)
		dt_out_int(&h->line, bounds.max, 0, false);
	dt_out_str(&h->line, "\n");
	put_line(h);
}

/* ---- what was counted ---- */

static bool was_cleared(const struct series *s, const struct dt_buckets *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->count[i] < s->last[i])
			return true;
	return false;
}

static void take_histogram(struct heatmap *h, struct series *s, const struct dt_buckets *b, uint64_t time,
    int64_t normal)
{
	bool cleared = was_cleared(s, b);
	uint64_t after = time > h->start ? time - h->start : 0;
	uint32_t first, last = 0;
	bool any = false;

	dt_buckets_range(b, &first, &last);
	for (uint32_t i = first; i < b->n && i <= last; i++) {
		put_bounds(h, s, b, i);
		any |= b->count[i] != (cleared ? 0 : s->last[i]);
	}
	if (any)
		dt_out_printf(&h->line, "at\t%llu\t%u", (unsigned long long)after, s->number);
	for (uint32_t i = 0; i < b->n; i++) {
		/* counts of a recording may be any: they wrap */
		int64_t more = (int64_t)((uint64_t)b->count[i] - (uint64_t)(cleared ? 0 : s->last[i]));

		if (more != 0)
			dt_out_printf(&h->line, "\t%u:%lld", i, (long long)dt_agg_normalize(more, normal));
		s->last[i] = b->count[i];
	}
	if (any) {
		dt_out_str(&h->line, "\n");
		put_line(h);
	}
}

static void take(struct heatmap *h, const struct dt_sink_aggs *a, uint64_t time)
{
	for (size_t r = 0; r < a->n; r++)
		for (uint32_t i = 0; i < a->nids; i++) {
			const struct dt_value *v = &a->rows[r].vals[i];
			const char *name = dt_message_aggname(&h->sink, a->ids[i], v);
			struct dt_buckets b;

			if (!dt_buckets_open(&b, v))
				dt_message_leave(&h->sink, a->ids[i], v, "it is no histogram");
			else
				take_histogram(h, series_of(h, name, a->ids[i], &a->rows[r], b.n), &b, time,
				    v->normal);
		}
}

static void take_printa(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_sink_aggs *a)
{
	take((struct heatmap *)s, a, e->data->dtpda_timestamp);
}

/* All series of an aggregation but those that are kept count from 0 again. */
static void forget(struct heatmap *h, int64_t id)
{
	for (uint32_t i = 0; i < h->series.n; i++) {
		struct series *one = h->series.v[i].value;

		if (!one->kept && strtoll(h->series.v[i].key, NULL, 10) == id)
			memset(one->last, 0, one->n * sizeof(*one->last));
		one->kept = false;
	}
}

static void before_effect(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *rec)
{
	(void)e;
	if (dt_act_kind(rec->act) == DT_LIB_KIND(DT_LIB_CLEAR))
		forget((struct heatmap *)s, dt_rec_int(rec));
}

static void take_truncated(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct heatmap *h = (struct heatmap *)s;

	for (size_t r = 0; r < a->n; r++) {
		const struct dt_value *v = &a->rows[r].vals[0];
		struct dt_buckets b;

		if (dt_buckets_open(&b, v))
			series_of(h, dt_message_aggname(s, a->ids[0], v), a->ids[0], &a->rows[r],
			    b.n)->kept = true;
	}
	forget(h, a->ids[0]);
}

static void leave_value(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_act *act,
    const struct dt_value *v)
{
	(void)e, (void)act, (void)v;
	dt_message_leave(s, 0, NULL, "a heat map shows aggregations");
}

static int take_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	static const struct dt_message_ops ops = { leave_value, take_printa, before_effect,
		take_truncated };

	dt_message_event(s, &ops, e);
	return 0;
}

static void take_snapshot(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	take((struct heatmap *)s, a, s->env.now(s->env.ctx));
}

static int take_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	take((struct heatmap *)s, a, s->env.now(s->env.ctx));
	return 0;
}

/* ---- the sink ---- */

static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct heatmap *h = (struct heatmap *)s;

	dt_page_about_start(&h->about, start);
	h->start = s->env.now(s->env.ctx);
}

static void put_end(struct dt_sink *s, int status, bool exited)
{
	(void)status, (void)exited;
	put_line((struct heatmap *)s);
	dt_page_close(s->env.out);
	dt_page_end(s->env.out);
}

static int open_heatmap(struct dt_sink *s)
{
	struct heatmap *h = (struct heatmap *)s;

	if (!dt_page_built("heatmap", s->env.why, DT_SINK_WHY))
		return -1;
	dt_map_init(&h->series, s->env.arena);
	dt_out_init(&h->key, NULL, s->env.out->opts);
	dt_out_init(&h->one, NULL, s->env.out->opts);
	dt_out_init(&h->line, NULL, s->env.out->opts);
	dt_out_init(&h->about, NULL, s->env.out->opts);
	return 0;
}

static void close_heatmap(struct dt_sink *s)
{
	struct heatmap *h = (struct heatmap *)s;

	dt_out_free(&h->key);
	dt_out_free(&h->one);
	dt_out_free(&h->line);
	dt_out_free(&h->about);
}

const struct dt_sink_type dt_sink_heatmap = {
	.oformat = DTRACE_OFORMAT_FILE,
	.size = sizeof(struct heatmap),
	.open = open_heatmap,
	.close = close_heatmap,
	.start = take_start,
	.event = take_event,
	.snapshot = take_snapshot,
	.aggregation = take_aggregation,
	.end = put_end,
};
