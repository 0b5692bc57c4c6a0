/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations as metrics of OTLP (doc/FORMATS.md), all cumulative: count() is a monotonic sum, sum() one
 * that is not, avg() a histogram of sum and count without buckets, a histogram one with the exact bounds of
 * D, percentiles() a summary, all else a gauge.
 *
 * OTLP's buckets end with the bound and begin after the one before; those of D hold integers. So a bucket's
 * greatest integer is its bound, and nothing moves to another bucket.
 */
#include "sink/otlp.h"

#include "base/count.h"
#include "base/map.h"
#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"

#include <stdlib.h>

enum {
	METRIC_NAME = 1, METRIC_DESCRIPTION = 2, METRIC_UNIT = 3, METRIC_GAUGE = 5, METRIC_SUM = 7,
	METRIC_HISTOGRAM = 9, METRIC_SUMMARY = 11,
	KIND_POINTS = 1, KIND_TEMPORALITY = 2, KIND_MONOTONIC = 3, CUMULATIVE = 2,
	POINT_START = 2, POINT_TIME = 3,			/* of all points */
	NUMBER_INT = 6, NUMBER_ATTRIBUTES = 7,
	HISTOGRAM_COUNT = 4, HISTOGRAM_SUM = 5, HISTOGRAM_COUNTS = 6, HISTOGRAM_BOUNDS = 7,
	HISTOGRAM_ATTRIBUTES = 9,
	SUMMARY_COUNT = 4, SUMMARY_SUM = 5, SUMMARY_QUANTILES = 6, SUMMARY_ATTRIBUTES = 7, QUANTILE = 1,
	QUANTILE_VALUE = 2,
};

struct family {
	int64_t id;
	unsigned kind;			/* METRIC_* */
	bool monotonic;
	const char *name, *function;
	uint64_t start;			/* since when it counts: wall time */
	struct dt_out points;
};

struct metrics {
	struct dt_sink sink;
	DT_VEC(struct family *) families;
	uint64_t start, skew;		/* of the trace: wall time; wall less monotonic */
	struct dt_out point, part, one, name;
	struct dt_map *seen;		/* attributes of the family in hand */
};

/* ---- families ---- */

static bool is_mean(const struct dt_value *v) { return v->aggkind == DT_ACT_AVG; }

static unsigned kind_of(const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);

	if (f->buckets != NULL || is_mean(v))
		return METRIC_HISTOGRAM;
	if (f->parts != NULL)
		return METRIC_SUMMARY;
	return v->aggkind == DT_ACT_COUNT || v->aggkind == DT_ACT_SUM ? METRIC_SUM : METRIC_GAUGE;
}

static struct family *known_family(const struct metrics *m, int64_t id)
{
	for (size_t i = 0; i < m->families.n; i++)
		if (m->families.v[i]->id == id)
			return m->families.v[i];
	return NULL;
}

static bool is_taken(const struct metrics *m, const char *name)
{
	for (size_t i = 0; i < m->families.n; i++)
		if (strcmp(m->families.v[i]->name, name) == 0)
			return true;
	return false;
}

static struct family *family_of(struct metrics *m, int64_t id, const struct dt_value *v)
{
	struct dt_arena *arena = m->sink.env.arena;
	struct family *f = known_family(m, id);
	const char *name;

	if (f != NULL)
		return f;
	name = dt_arena_printf(arena, "dtrace.%s.%s", m->sink.env.program,
	    dt_message_aggname(&m->sink, id, v));
	for (unsigned again = 2; is_taken(m, name); again++)
		name = dt_arena_printf(arena, "dtrace.%s.%s.%u", m->sink.env.program,
		    dt_message_aggname(&m->sink, id, v), again);
	f = DT_NEW(arena, struct family);
	*f = (struct family){ .id = id, .kind = kind_of(v), .monotonic = v->aggkind == DT_ACT_COUNT,
		.name = name, .function = dt_actrule_of(v->aggkind)->name, .start = m->start };
	dt_out_init(&f->points, NULL, m->sink.env.out->opts);
	dt_vec_push(arena, &m->families, f);
	return f;
}

void dt_otlp_cleared(struct dt_sink *s, int64_t id)
{
	struct metrics *m = (struct metrics *)s;
	struct family *f = known_family(m, id);

	if (f != NULL)
		f->start = m->sink.env.now(m->sink.env.ctx) + m->skew;
}

/* ---- attributes ---- */

/* What the program calls the key, or its number. */
static const char *key_name(struct metrics *m, int64_t id, uint32_t k)
{
	if (!dt_message_source(&m->name, m->sink.env.aggkey(m->sink.env.ctx, id, k)))
		dt_out_printf(&m->name, "key%u", k + 1);
	return dt_out_text(&m->name);
}

/* Two points with the same attributes would be one: the second gets a number (doc/FORMATS.md). */
static void put_attributes(struct metrics *m, unsigned field, int64_t id, const struct dt_aggrow *row)
{
	struct dt_out label;
	char names[1024] = ",";
	size_t used = 1;

	dt_out_init(&label, NULL, NULL);
	for (uint32_t k = 0; k < row->nkeys; k++) {
		const char *name = key_name(m, id, k);
		char own[32], find[256];

		snprintf(find, sizeof(find), ",%s,", name);
		if (strstr(names, find) != NULL || strlen(name) >= sizeof(find) - 3) {
			snprintf(own, sizeof(own), "key%u", k + 1);
			name = own;
		}
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s,", name);
		used = used < sizeof(names) ? used : sizeof(names) - 1;
		dt_otlp_value(&m->point, field, name, &row->keys[k], &m->one);
		dt_out_clear(&m->one);
		dt_message_key(&m->one, &row->keys[k]);
		dt_out_printf(&label, "%u:%s", (unsigned)m->one.len, dt_out_text(&m->one));
	}
	if (dt_map_get(m->seen, dt_out_text(&label)) != NULL)
		dt_otlp_int(&m->point, field, "alike", m->seen->n);
	dt_map_put(m->seen, dt_out_text(&label), m);
	dt_out_free(&label);
}

/* ---- points ---- */

static void put_times(struct metrics *m, const struct family *f)
{
	dt_proto_fixed(&m->point, POINT_START, f->start);
	dt_proto_fixed(&m->point, POINT_TIME, m->sink.env.now(m->sink.env.ctx) + m->skew);
}

/* All buckets from the first to the last that count; before the first and after the last is nothing. */
static void put_buckets(struct metrics *m, const struct dt_value *v)
{
	struct dt_out bounds;
	struct dt_buckets b;
	uint32_t first, last = 0;
	uint64_t sum = 0;

	if (!dt_buckets_open(&b, v))
		return;
	dt_out_init(&bounds, NULL, NULL);
	dt_buckets_range(&b, &first, &last);
	for (uint32_t i = first > 0 ? first - 1 : 0; i < b.n && i <= last; i++) {
		struct dt_bucket_bounds at = dt_buckets_bounds(&b, i);
		uint64_t n = (uint64_t)dt_agg_normalize(b.count[i], v->normal);

		sum += n;
		dt_proto_word(&m->part, n);
		if (at.has_max)
			dt_proto_word(&bounds, dt_proto_bits((double)at.max));
		else
			break;
	}
	if (bounds.len == m->part.len && bounds.len > 0)
		dt_proto_word(&m->part, 0);		/* beyond the last bound */
	dt_proto_fixed(&m->point, HISTOGRAM_COUNT, sum);
	dt_proto_message(&m->point, HISTOGRAM_COUNTS, &m->part);
	dt_proto_message(&m->point, HISTOGRAM_BOUNDS, &bounds);
	dt_out_free(&bounds);
}

/* avg(): the quotient of several hosts cannot be made of their quotients, so both parts are sent. */
static void put_mean(struct metrics *m, const struct dt_value *v)
{
	__int128 sum;

	if (v->nwords < 3)
		return;
	sum = (__int128)((unsigned __int128)(uint64_t)v->words[2] << 64 | (uint64_t)v->words[1]);
	dt_proto_fixed(&m->point, HISTOGRAM_COUNT, (uint64_t)v->words[0]);
	dt_proto_double(&m->point, HISTOGRAM_SUM, (double)sum / (double)(v->normal > 1 ? v->normal : 1));
}

static void put_quantile(struct metrics *m, double q, int64_t value)
{
	dt_proto_double(&m->part, QUANTILE, q);
	dt_proto_double(&m->part, QUANTILE_VALUE, (double)value);
	dt_proto_message(&m->point, SUMMARY_QUANTILES, &m->part);
}

static void put_summary(struct metrics *m, const struct dt_value *v)
{
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = dt_aggfunc_of(v->aggkind)->parts(v, part);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = part[i].name;

		if (strcmp(name, "count") == 0)
			dt_proto_fixed(&m->point, SUMMARY_COUNT, (uint64_t)part[i].value);
		else if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
			put_quantile(m, name[1] == 'i' ? 0 : 1, part[i].value);
		else if (name[0] == 'p')
			put_quantile(m, (double)(int64_t)(strtod(name + 1, NULL) * 1e6 + 0.5) / 1e8,
			    part[i].value);
	}
}

static void put_point(struct metrics *m, int64_t id, const struct dt_aggrow *row, const struct dt_value *v)
{
	struct family *f = family_of(m, id, v);

	put_times(m, f);
	if (f->kind == METRIC_HISTOGRAM) {
		put_attributes(m, HISTOGRAM_ATTRIBUTES, id, row);
		(is_mean(v) ? put_mean : put_buckets)(m, v);
	} else if (f->kind == METRIC_SUMMARY) {
		put_attributes(m, SUMMARY_ATTRIBUTES, id, row);
		put_summary(m, v);
	} else {
		put_attributes(m, NUMBER_ATTRIBUTES, id, row);
		dt_proto_fixed(&m->point, NUMBER_INT, (uint64_t)dt_message_number(v));
	}
	dt_proto_message(&f->points, KIND_POINTS, &m->point);
}

/* What is shown replaces what was shown before. */
static int take(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct metrics *m = (struct metrics *)s;

	for (uint32_t i = 0; i < a->nids; i++) {
		struct family *f = known_family(m, a->ids[i]);
		struct dt_arena *arena = dt_arena_under(m->sink.env.arena);
		struct dt_map seen;

		dt_map_init(&seen, arena);
		m->seen = &seen;
		if (f != NULL)
			dt_out_clear(&f->points);
		for (size_t r = 0; r < a->n; r++)
			put_point(m, a->ids[i], &a->rows[r], &a->rows[r].vals[i]);
		m->seen = NULL;
		dt_arena_free(arena);
	}
	return 0;
}

/* ---- the request ---- */

static void put_family(struct metrics *m, const struct family *f, struct dt_out *items)
{
	bool temporal = f->kind == METRIC_SUM || f->kind == METRIC_HISTOGRAM;

	dt_out_put(&m->point, dt_out_text(&f->points), f->points.len);
	if (temporal)
		dt_proto_number(&m->point, KIND_TEMPORALITY, CUMULATIVE);
	if (f->monotonic)
		dt_proto_number(&m->point, KIND_MONOTONIC, 1);
	dt_proto_text(&m->part, METRIC_NAME, f->name);
	dt_out_clear(&m->one);
	dt_out_printf(&m->one, "%s()", f->function);
	dt_proto_text(&m->part, METRIC_DESCRIPTION, dt_out_text(&m->one));
	dt_proto_text(&m->part, METRIC_UNIT, "1");
	dt_proto_message(&m->part, f->kind, &m->point);
	dt_proto_message(items, OTLP_ITEM, &m->part);
}

static uint64_t put_document(struct dt_sink *s, struct dt_out *o)
{
	struct metrics *m = (struct metrics *)s;
	struct dt_out items;

	dt_out_init(&items, NULL, NULL);
	for (size_t i = 0; i < m->families.n; i++)
		if (m->families.v[i]->points.len > 0)
			put_family(m, m->families.v[i], &items);
	dt_otlp_request(o, &s->env, &items);
	dt_out_free(&items);
	return 0;
}

static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct metrics *m = (struct metrics *)s;

	m->start = start->wall;
	m->skew = start->wall - start->time;
}

static int open_metrics(struct dt_sink *s)
{
	struct metrics *m = (struct metrics *)s;

	dt_out_init(&m->point, NULL, s->env.out->opts);
	dt_out_init(&m->part, NULL, s->env.out->opts);
	dt_out_init(&m->one, NULL, s->env.out->opts);
	dt_out_init(&m->name, NULL, s->env.out->opts);
	return 0;
}

static void close_metrics(struct dt_sink *s)
{
	struct metrics *m = (struct metrics *)s;

	for (size_t i = 0; i < m->families.n; i++)
		dt_out_free(&m->families.v[i]->points);
	dt_out_free(&m->point);
	dt_out_free(&m->part);
	dt_out_free(&m->one);
	dt_out_free(&m->name);
}

const struct dt_sink_type dt_sink_otlp_metrics = {
	.size = sizeof(struct metrics),
	.open = open_metrics,
	.close = close_metrics,
	.start = take_start,
	.aggregation = take,
	.document = put_document,
};
