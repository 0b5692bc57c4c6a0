/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations: the number that an element stands for, the order of elements, and their default layout.
 * Elements come as rows that point into a snapshot; nothing here keeps or changes it.
 */
#include "dif/action.h"
#include "output/buckets.h"
#include "output/format.h"
#include "output/hist.h"
#include "output/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t dt_agg_normalize(int64_t value, int64_t normal)
{
	if (normal == 0 || normal == 1 || (normal == -1 && value == INT64_MIN))
		return value;
	return value / normal;
}

/* ---- scalars ---- */

/* *number is set in any case, to 0 where the function has no single number. */
bool dt_agg_scalar(const struct dt_value *v, struct dt_value *number)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);

	*number = (struct dt_value){ .kind = DT_V_INT, .size = 8, .is_signed = true };
	if (f->number)
		f->number(v, number);
	return f->number;
}

/* ---- order ---- */

static int cmp_ld(long double a, long double b)
{
	return (a > b) - (a < b);
}

/*
 * The weight of a histogram: each bucket's number times its count. The count of zeros, which weigh
 * nothing, decides between equal weights.
 */
static long double hist_weight(const struct dt_value *v, int64_t *zero)
{
	struct dt_buckets b;
	long double sum = 0;

	*zero = 0;
	if (!dt_buckets_open(&b, v))
		return 0;
	for (uint32_t i = 0; i < b.n; i++)
		if (b.count[i])
			sum += dt_buckets_value(&b, i) * (long double)b.count[i];
	*zero = b.zero < b.n ? b.count[b.zero] : 0;
	return sum;
}

int dt_agg_cmp_number(const struct dt_value *a, const struct dt_value *b)
{
	struct dt_value x, y;

	dt_agg_scalar(a, &x);
	dt_agg_scalar(b, &y);
	if (!x.is_signed)
		return (x.i > y.i) - (x.i < y.i);
	return ((int64_t)x.i > (int64_t)y.i) - ((int64_t)x.i < (int64_t)y.i);
}

int dt_agg_cmp_buckets(const struct dt_value *a, const struct dt_value *b)
{
	int64_t zx, zy;
	long double wx = hist_weight(a, &zx), wy = hist_weight(b, &zy);
	int c = cmp_ld(wx, wy);

	return c ? c : (zx > zy) - (zx < zy);
}

/* Both values are of one aggregation, or in one place of a join, and so of one function. */
int dt_agg_cmp_value(const struct dt_value *a, const struct dt_value *b)
{
	return dt_aggfunc_of(a->aggkind)->compare(a, b);
}

/* A prefix comes before the longer text. */
static int cmp_bytes(const void *a, size_t na, const void *b, size_t nb)
{
	size_t n = na < nb ? na : nb;
	int c = n ? memcmp(a, b, n) : 0;

	return c ? c : (na > nb) - (na < nb);
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Frames from the innermost on, then the number of frames. */
static int cmp_stack(const struct dt_value *a, const struct dt_value *b)
{
	for (uint32_t i = 0; i < a->npcs && i < b->npcs; i++)
		if (a->pcs[i] != b->pcs[i])
			return cmp_u64(a->pcs[i], b->pcs[i]);
	return cmp_u64(a->npcs, b->npcs);
}

/*
 * A total order over keys of any kind, so that sorting is always defined: by kind, then by size or
 * process, then by value. Integers compare without sign, as the original does.
 */
int dt_agg_cmp_key(const struct dt_value *a, const struct dt_value *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	switch (a->kind) {
	case DT_V_INT:
		if (a->size != b->size)
			return a->size < b->size ? -1 : 1;
		return cmp_u64(dt_value_unsigned(a), dt_value_unsigned(b));
	case DT_V_STRING:
		return cmp_bytes(a->bytes, dt_value_textlen(a), b->bytes, dt_value_textlen(b));
	case DT_V_BYTES:
		return a->len != b->len ? cmp_u64(a->len, b->len) :
					  cmp_bytes(a->bytes, a->len, b->bytes, b->len);
	case DT_V_STACK:
	case DT_V_USTACK:
		return a->pid != b->pid ? cmp_u64(a->pid, b->pid) : cmp_stack(a, b);
	default:
		return a->pid != b->pid ? cmp_u64(a->pid, b->pid) : cmp_u64(a->i, b->i);
	}
}

/*
 * Comparison begins at key `start` (aggsortkeypos) and goes round to those before it. A start beyond
 * the last key means the first.
 */
static int cmp_keys(const struct dt_aggrow *a, const struct dt_aggrow *b, uint32_t start)
{
	uint32_t n = a->nkeys < b->nkeys ? a->nkeys : b->nkeys;

	if (start >= n)
		start = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = (start + i) % n;
		int c = dt_agg_cmp_key(&a->keys[k], &b->keys[k]);
		if (c)
			return c;
	}
	return cmp_u64(a->nkeys, b->nkeys);
}

/* Values in the same way, for aggregations that are printed together (aggsortpos). */
static int cmp_values(const struct dt_aggrow *a, const struct dt_aggrow *b, uint32_t start)
{
	uint32_t n = a->nvals < b->nvals ? a->nvals : b->nvals;

	if (start >= n)
		start = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = (start + i) % n;
		int c = dt_agg_cmp_value(&a->vals[k], &b->vals[k]);
		if (c)
			return c;
	}
	return 0;
}

/* Keys decide between equal values, and the other way round, so that an order never depends on the hash. */
static int cmp_rows(const void *x, const void *y, void *ctx)
{
	const struct dt_aggrow *a = x, *b = y;
	const struct dt_aggorder *order = ctx;
	int c = order->bykey ? cmp_keys(a, b, order->keypos) : cmp_values(a, b, order->pos);

	if (c == 0)
		c = order->bykey ? cmp_values(a, b, order->pos) : cmp_keys(a, b, order->keypos);
	return order->reverse ? -c : c;
}

void dt_agg_sort(struct dt_aggrow *rows, size_t n, const struct dt_aggorder *order)
{
	struct dt_aggorder plain = { 0 };

	if (n > 1)
		qsort_r(rows, n, sizeof(*rows), cmp_rows, order ? (void *)order : &plain);
}

/* ---- layout ---- */

/* The columns of agghist and aggpack, which are those of trace() for numbers. */
static unsigned packed_width(const struct dt_value *v)
{
	if (v->kind != DT_V_INT)
		return 16;
	return v->size == 1 ? 3 : v->size == 2 ? 5 : v->size == 4 ? 8 : 16;
}

static void packed_key(struct dt_out *o, const struct dt_value *v)
{
	struct dt_out text;

	if (v->kind == DT_V_INT) {
		dt_value_key(o, v);
		return;
	}
	dt_out_init(&text, NULL, o->opts);
	dt_value_bare(&text, v);
	dt_out_str(o, " ");
	dt_out_field(o, dt_out_text(&text), text.len, packed_width(v), false);
	dt_out_free(&text);
}

/* The fitting layout: all keys as one text. */
static void joined_keys(struct dt_out *text, const struct dt_print_opts *opts, const struct dt_aggrow *row)
{
	dt_out_init(text, NULL, opts);
	for (uint32_t i = 0; i < row->nkeys; i++) {
		dt_out_str(text, i > 0 ? "  " : " ");
		dt_value_bare(text, &row->keys[i]);
	}
}

void dt_packed_keys(struct dt_out *o, const struct dt_aggrow *row, unsigned width)
{
	struct dt_out text;

	if (o->opts->fit) {
		joined_keys(&text, o->opts, row);
		dt_out_field(o, dt_out_text(&text), text.len, width, false);
		dt_out_free(&text);
		return;
	}
	for (uint32_t i = 0; i < row->nkeys; i++)
		packed_key(o, &row->keys[i]);
}

/* The columns of the keys: historic, or those of the widest. */
static unsigned packed_keywidth(struct dt_out *o, const struct dt_aggrow *rows, size_t n)
{
	unsigned width = 0;

	for (uint32_t i = 0; !o->opts->fit && i < rows[0].nkeys; i++)
		width += packed_width(&rows[0].keys[i]) + 1;
	for (size_t i = 0; o->opts->fit && rows[0].nkeys > 0 && i < n; i++) {
		struct dt_out text;
		size_t columns;

		joined_keys(&text, o->opts, &rows[i]);
		columns = dt_columns(dt_out_text(&text), text.len);
		width = columns > width ? (unsigned)columns : width;
		dt_out_free(&text);
	}
	return o->opts->fit && rows[0].nkeys > 0 && width < 4 ? 4 : width;
}

static bool is_tally(const struct dt_value *v)
{
	return dt_aggfunc_of(v->aggkind)->tally && v->nwords > 0;
}

/* agghist: one bar for each element. False: some row has no key, or no function that bars are drawn for. */
static bool print_agghist(struct dt_out *o, const struct dt_aggrow *rows, size_t n)
{
	struct dt_bars bars = { 0 };
	unsigned width = packed_keywidth(o, rows, n);
	int counts = (int)strlen("count");

	for (size_t i = 0; i < n; i++) {
		if (rows[i].nvals != 1 || rows[i].nkeys == 0 || !is_tally(&rows[i].vals[0]))
			return false;
		dt_bars_add(&bars, rows[i].vals[0].words[0]);
		int count = dt_number_width(dt_agg_normalize(rows[i].vals[0].words[0],
		    rows[i].vals[0].normal));

		counts = count > counts ? count : counts;
	}
	dt_bars_finish(&bars, o->opts, width + (unsigned)counts);
	/* historic: the total is an integer, so with aggzoom small counts take the whole width */
	if (bars.total < 0x1p64L)
		bars.total = (long double)(uint64_t)bars.total;
	dt_bars_header(o, &bars, "key", (int)width);
	for (size_t i = 0; i < n && !o->failed; i++) {
		dt_packed_keys(o, &rows[i], width);
		dt_out_str(o, " ");
		dt_bar_print(o, &bars, rows[i].vals[0].words[0], rows[i].vals[0].normal);
	}
	return true;
}

/* An option that cannot show these rows is ignored, and they are printed in the plain layout. */
void dt_agg_print(struct dt_out *o, const struct dt_aggrow *rows, size_t n)
{
	if (n == 0)
		return;
	if (o->opts->agghist && print_agghist(o, rows, n))
		return;
	if (o->opts->aggpack && dt_aggpack_print(o, rows, n, packed_keywidth(o, rows, n)))
		return;
	if (o->opts->fit) {
		dt_fit_print(o, rows, n);
		return;
	}
	for (size_t i = 0; i < n && !o->failed; i++) {
		for (uint32_t k = 0; k < rows[i].nkeys; k++)
			dt_value_key(o, &rows[i].keys[k]);
		for (uint32_t k = 0; k < rows[i].nvals; k++)
			dt_value_trace(o, &rows[i].vals[k]);
		dt_out_str(o, "\n");
	}
}

void dt_agg_printf(struct dt_out *o, const struct dt_format *f, const struct dt_aggrow *rows, size_t n)
{
	for (size_t i = 0; i < n && !o->failed; i++)
		dt_format_printa(o, f, rows[i].keys, rows[i].nkeys, rows[i].vals, rows[i].nvals);
}
