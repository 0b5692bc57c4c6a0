/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations as CSV: a table of their own, a row for each element, or for each bucket of a histogram. In a
 * firing (printa()) the first column is its time. The header is made from the first element: all elements of
 * an aggregation have the same keys and the same kinds of values.
 */
#include "sink/csv.h"

#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"

#include <stdlib.h>

/*
 * The same aggregation printed again by a firing goes on with its table; outside of firings nothing tells the
 * two apart.
 */
static void begin_aggregations(struct dt_csv *c, const dtrace_probedata_t *firing)
{
	if (firing == NULL || c->table != DT_CSV_AGGREGATIONS ||
	    strcmp(dt_out_text(&c->table_header), dt_out_text(&c->header)) != 0)
		dt_csv_begin_table(c, DT_CSV_AGGREGATIONS);
}


static bool is_histogram(const struct dt_value *v)
{
	return dt_aggfunc_of(v->aggkind)->buckets != NULL;
}

/* The name of the aggregation; one without a name (@) is called as its function is: "count". */
static const char *value_name(const struct dt_csv *c, int64_t id, const struct dt_value *v)
{
	const char *name = c->sink.env.aggname != NULL ? c->sink.env.aggname(c->sink.env.ctx, id) : NULL;

	return name != NULL && strcmp(name, "_") != 0 ? name : dt_actrule_of(v->aggkind)->name;
}

static void head_value(struct dt_csv *c, int64_t id, const struct dt_value *v)
{
	dt_csv_add_column(c, value_name(c, id, v));
}

/* One column, or one for each of several numbers: "latency", "latency p99". */
static void head_numbers(struct dt_csv *c, int64_t id, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = f->parts != NULL ? f->parts(v, part) : 0;

	if (n == 0)
		head_value(c, id, v);
	for (uint32_t i = 0; i < n; i++) {
		dt_out_clear(&c->text);
		dt_out_printf(&c->text, "%s %s", value_name(c, id, v), part[i].name);
		dt_csv_add_column(c, dt_out_text(&c->text));
	}
}

/* The cells below head_numbers(), as many as that made: parts() must not depend on the values. */
static void put_number(struct dt_csv *c, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	struct dt_value number;
	uint32_t n = f->parts != NULL ? f->parts(v, part) : 0;

	for (uint32_t i = 0; i < n; i++) {
		dt_out_str(c->sink.env.out, i > 0 ? "," : "");
		dt_out_int(c->sink.env.out, part[i].value, 0, false);
	}
	if (n == 0 && dt_agg_scalar(v, &number))
		dt_csv_put_value(c, &number);
}

/* The columns before the values: in a firing its time, then the keys. */
static void head_keys(struct dt_csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	dt_out_clear(&c->header);
	if (firing != NULL)
		dt_csv_add_column(c, "time");
	for (uint32_t k = 0; k < a->rows[0].nkeys; k++) {
		if (!dt_message_source(&c->text, c->sink.env.aggkey(c->sink.env.ctx, a->ids[0], k)))
			dt_out_printf(&c->text, "key%u", k + 1);
		dt_csv_add_column(c, dt_out_text(&c->text));
	}
}

/* True: something stands before, and the next cell wants a comma. */
static bool put_keys(struct dt_csv *c, const dtrace_probedata_t *firing, const struct dt_aggrow *row)
{
	struct dt_out *o = c->sink.env.out;

	if (firing != NULL)
		dt_out_uint(o, firing->dtpda_timestamp, 0, false);
	for (uint32_t k = 0; k < row->nkeys; k++) {
		if (firing != NULL || k > 0)
			dt_out_str(o, ",");
		dt_csv_put_value(c, &row->keys[k]);
	}
	return firing != NULL || row->nkeys > 0;
}

/* Aggregations without buckets, joined by their keys: a column for each. */
static void put_numbers(struct dt_csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	head_keys(c, firing, a);
	for (uint32_t i = 0; i < a->nids; i++)
		head_numbers(c, a->ids[i], &a->rows[0].vals[i]);
	begin_aggregations(c, firing);
	for (size_t r = 0; r < a->n; r++) {
		bool comma = put_keys(c, firing, &a->rows[r]);

		for (uint32_t i = 0; i < a->nids; i++, comma = true) {
			dt_out_str(c->sink.env.out, comma ? "," : "");
			put_number(c, &a->rows[r].vals[i]);
		}
		dt_out_str(c->sink.env.out, "\n");
	}
}

/* The first and the last bucket are open at one side: that cell stays empty. */
static void put_bucket(struct dt_csv *c, const dtrace_probedata_t *firing, const struct dt_aggrow *row,
    const struct dt_buckets *b, uint32_t i, int64_t normal)
{
	struct dt_bucket_bounds bounds = dt_buckets_bounds(b, i);
	struct dt_out *o = c->sink.env.out;

	if (put_keys(c, firing, row))
		dt_out_str(o, ",");
	if (bounds.has_min)
		dt_out_int(o, bounds.min, 0, false);
	dt_out_str(o, ",");
	if (bounds.has_max)
		dt_out_int(o, bounds.max, 0, false);
	dt_out_str(o, ",");
	dt_out_int(o, dt_agg_normalize(b->count[i], normal), 0, false);
	dt_out_str(o, "\n");
}

/* One histogram, which is the only id of `a`: from the first bucket that counts anything to the last. */
static void put_histograms(struct dt_csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	head_keys(c, firing, a);
	dt_csv_add_column(c, "min");
	dt_csv_add_column(c, "max");
	head_value(c, a->ids[0], &a->rows[0].vals[0]);
	begin_aggregations(c, firing);
	for (size_t r = 0; r < a->n; r++) {
		const struct dt_value *v = &a->rows[r].vals[0];
		struct dt_buckets b;
		uint32_t first, last;

		if (!dt_buckets_open(&b, v))
			continue;
		dt_buckets_range(&b, &first, &last);
		for (uint32_t i = first; i < b.n && i <= last; i++)
			put_bucket(c, firing, &a->rows[r], &b, i, v->normal);
	}
}

/*
 * Each row has one value for each id, in their order. Joined aggregations that have a histogram among them
 * share no rows: each gets a table of its own, whose rows borrow keys and values from the joined ones.
 */
static void put_aggregations(struct dt_csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	bool histogram = false;

	if (a->n == 0)
		return;
	for (uint32_t i = 0; i < a->nids; i++)
		histogram |= is_histogram(&a->rows[0].vals[i]);
	if (!histogram) {
		put_numbers(c, firing, a);
		return;
	}
	for (uint32_t i = 0; i < a->nids; i++) {
		struct dt_aggrow *rows = calloc(a->n, sizeof(*rows));
		struct dt_sink_aggs one = { &a->ids[i], 1, rows, a->n };

		for (size_t r = 0; rows != NULL && r < a->n; r++)
			rows[r] = (struct dt_aggrow){ a->rows[r].keys, a->rows[r].nkeys, &a->rows[r].vals[i],
				1, NULL };
		c->sink.env.out->failed |= rows == NULL;
		if (rows != NULL && is_histogram(&rows[0].vals[0]))
			put_histograms(c, firing, &one);
		else if (rows != NULL)
			put_numbers(c, firing, &one);
		free(rows);
	}
}

int dt_csv_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	put_aggregations((struct dt_csv *)s, NULL, a);
	return 0;
}

/* printa(): the trace owns the rows it hands out. */
void dt_csv_put_printa(struct dt_csv *c, const struct dt_sink_event *e, const struct dt_rec *recs, size_t n)
{
	const struct dt_statement_ops *ops = &c->sink.env.statements->ops;
	const int64_t *ids = dt_statement_ids(c->sink.env.statements, recs, n);
	struct dt_sink_aggs a = { ids, (uint32_t)n, NULL, 0 };

	if (ops->rows != NULL)
		a.rows = ops->rows(ops->ctx, ids, (uint32_t)n, &a.n);
	if (a.rows != NULL)
		put_aggregations(c, e->data, &a);
}
