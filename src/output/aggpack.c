/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aggpack: a quantize() or lquantize() has one line for each element and one character for each bucket.
 * All elements share one range of buckets, so that the lines can be compared.
 */
#include "output/buckets.h"
#include "output/hist.h"
#include "output/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The range of buckets that all lines show, and the labels at its ends. */
struct pack {
	uint32_t from, to;
	bool any;			/* some element counts something */
	bool counted;			/* the function shows only buckets that count */
	char min[32], max[32];
	int minwidth, maxwidth;
};

/*
 * Widens the range by the buckets that this element counts. False: it is no histogram that can be
 * packed.
 */
static bool pack_widen(struct pack *p, const struct dt_aggrow *row)
{
	struct dt_buckets b;
	uint32_t first, last;

	if (row->nvals != 1 || !dt_buckets_open(&b, &row->vals[0]) || b.how->pack == DT_PACK_NONE)
		return false;
	dt_buckets_range(&b, &first, &last);
	if (first < b.n) {
		p->from = !p->any || first < p->from ? first : p->from;
		p->to = !p->any || last > p->to ? last : p->to;
		p->any = true;
	}
	return true;
}

static int width_of(const char *label)
{
	return strlen(label) < 4 ? 4 : (int)strlen(label);
}

/*
 * Fixes the range. quantize() shows one more bucket at each end, but none below 0 when nothing is
 * negative; lquantize() shows all of its buckets. The rows are elements of one aggregation, so the
 * first one has the labels of all.
 */
static bool pack_settle(struct pack *p, const struct dt_aggrow *row)
{
	struct dt_buckets b;

	if (!dt_buckets_open(&b, &row->vals[0]))
		return false;
	p->counted = b.how->pack == DT_PACK_COUNTED;
	if (!p->any)
		p->from = p->to = b.zero;
	if (!p->counted) {
		p->from = 0;
		p->to = b.n - 1;
	} else {
		p->from -= p->from > 0 && p->from != b.zero;
		p->to += p->to + 1 < b.n;
	}
	dt_buckets_label(&b, p->from, p->min, sizeof(p->min));
	dt_buckets_label(&b, p->to, p->max, sizeof(p->max));
	p->minwidth = p->counted ? width_of(p->min) : 7;
	p->maxwidth = p->counted ? width_of(p->max) : 8;
	return true;
}

/*
 * The taller the letter, the larger the share. A count is never above the total, so the index is in
 * bounds.
 */
static void pack_cell(struct dt_out *o, int64_t count, long double total)
{
	static const char up[] = "__xxxxXX", down[] = "vvvvVV";
	long double m = count < 0 ? -(long double)count : (long double)count;

	if (count == 0)
		dt_out_str(o, " ");
	else if (count < 0)
		dt_out_put(o, &down[(unsigned)(m * 5 / total + 0.5L)], 1);
	else if (o->opts->utf8)
		dt_out_utf8(o, 0x2581 + (uint32_t)(m * 7 / total + 0.5L));
	else
		dt_out_put(o, &up[(unsigned)(m * 7 / total + 0.5L)], 1);
}

/* The sum may wrap, as the counts of the kernel do. */
static void pack_line(struct dt_out *o, const struct pack *p, const struct dt_aggrow *row, unsigned keywidth)
{
	struct dt_buckets b;
	struct dt_bars bars = { 0 };
	long double total;
	int64_t sum = 0;

	if (!dt_buckets_open(&b, &row->vals[0]))
		return;
	for (uint32_t i = 0; i < b.n; i++) {
		dt_bars_add(&bars, b.count[i]);
		sum = (int64_t)((uint64_t)sum + (uint64_t)b.count[i]);
	}
	dt_bars_finish(&bars, o->opts, 0);
	total = bars.total;
	dt_packed_keys(o, row, keywidth);
	dt_out_printf(o, p->counted ? " %*s :" : "%*s :", p->counted ? p->minwidth : 8, p->min);
	for (uint32_t i = p->from; i <= p->to && i < b.n; i++)
		pack_cell(o, b.count[i], total);
	dt_out_printf(o, ": %-*s | %" PRId64 "\n", p->maxwidth, p->max,
	    dt_agg_normalize(sum, row->vals[0].normal));
}

bool dt_aggpack_print(struct dt_out *o, const struct dt_aggrow *rows, size_t n, unsigned keywidth)
{
	struct pack p = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!pack_widen(&p, &rows[i]))
			return false;
	if (!pack_settle(&p, &rows[0]))
		return false;
	dt_out_printf(o, "\n%*s %*s .", (int)keywidth, keywidth ? "key" : "", p.minwidth, "min");
	dt_out_pad(o, '-', p.to - p.from + 1);
	dt_out_printf(o, ". %-*s | count\n", p.maxwidth, "max");
	for (size_t i = 0; i < n && !o->failed; i++)
		pack_line(o, &p, &rows[i], keywidth);
	return true;
}
