/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms: rows of a label, a bar and a count. Bars are drawn from raw counts; the numbers beside
 * them are normalized. The layout is that of the original DTrace to the last blank, as scripts read it.
 */
#include "output/hist.h"

#include "dif/dif.h"
#include "output/buckets.h"
#include "output/print.h"

#include <inttypes.h>
#include <string.h>

enum { BAR = 40 };

/* The magnitude of INT64_MIN does not fit int64_t, but it does fit here. */
static long double magnitude(int64_t v)
{
	return v < 0 ? -(long double)v : (long double)v;
}

void dt_bars_add(struct dt_bars *b, int64_t count)
{
	long double m = magnitude(count);

	b->positive |= count > 0;
	b->negative |= count < 0;
	b->total += m;
	if (m > b->max)
		b->max = m;
}

void dt_bars_finish(struct dt_bars *b, const struct dt_print_opts *opts)
{
	b->utf8 = opts->utf8;
	/* aggzoom: the longest bar takes 95 % of the width, and others are drawn against it. */
	if (opts->aggzoom)
		b->total = b->max * 100 / 95;
}

/* Rounded to the nearest character. Adding up the total is inexact, hence the limit. */
static unsigned bar_length(const struct dt_bars *b, int64_t count, unsigned width)
{
	if (b->total == 0)
		return 0;
	long double n = magnitude(count) * width / b->total + 0.5L;
	return n > width ? width : (unsigned)n;
}

/*
 * Whole blocks, then one of seven partial ones. Eighths are not rounded: a bar never shows more than
 * there is.
 */
static void block_bar(struct dt_out *o, const struct dt_bars *b, int64_t count)
{
	long double cells = b->total == 0 ? 0 : magnitude(count) * BAR / b->total;
	unsigned whole = cells > BAR ? BAR : (unsigned)cells;
	unsigned part = whole < BAR ? (unsigned)((cells - whole) * 8) : 0;

	dt_out_str(o, "|");
	for (unsigned i = 0; i < whole; i++)
		dt_out_utf8(o, 0x2588);
	if (part)
		dt_out_utf8(o, 0x2590 - part);
	dt_out_pad(o, ' ', BAR - whole - !!part);
}

/* Counts of both signs: negative ones grow to the left of the middle, positive ones to the right. */
static void split_bar(struct dt_out *o, const struct dt_bars *b, int64_t count)
{
	unsigned half = BAR / 2, n = bar_length(b, count, half);
	bool left = count <= 0;

	dt_out_pad(o, ' ', left ? half - n : half);
	dt_out_pad(o, '@', left ? n : 0);
	dt_out_str(o, "|");
	dt_out_pad(o, '@', left ? 0 : n);
	dt_out_pad(o, ' ', left ? half : half - n);
}

/* Block characters are for positive counts only: there are none that grow to the left. */
void dt_bar_print(struct dt_out *o, const struct dt_bars *b, int64_t count, int64_t normal)
{
	unsigned n = bar_length(b, count, BAR);

	if (b->negative && b->positive) {
		split_bar(o, b, count);
	} else if (b->negative) {
		dt_out_pad(o, ' ', BAR - n);
		dt_out_pad(o, '@', n);
		dt_out_str(o, "|");
	} else if (b->utf8) {
		block_bar(o, b, count);
	} else {
		dt_out_str(o, "|");
		dt_out_pad(o, '@', n);
		dt_out_pad(o, ' ', BAR - n);
	}
	dt_out_printf(o, " %-9" PRId64 "\n", dt_agg_normalize(count, normal));
}

void dt_bars_header(struct dt_out *o, const char *what, int width)
{
	dt_out_printf(o, "\n%*s %41s %-9s\n", width, what, "------------- Distribution -------------",
	    "count");
}

/* Data that do not fit their parameters are said to be so, rather than drawn. */
void dt_hist_print(struct dt_out *o, const struct dt_value *v)
{
	struct dt_bars bars = { 0 };
	struct dt_buckets b;
	uint32_t from, to;
	char label[64];

	if (!dt_buckets_open(&b, v)) {
		dt_out_str(o, "\n(histogram does not fit its parameters)\n");
		return;
	}
	dt_buckets_shown(&b, &from, &to);
	for (uint32_t i = from; i <= to; i++)
		dt_bars_add(&bars, b.count[i]);
	dt_bars_finish(&bars, o->opts);
	dt_bars_header(o, "value", 16);
	for (uint32_t i = from; i <= to && !o->failed; i++) {
		dt_buckets_label(&b, i, label, sizeof(label));
		dt_out_printf(o, "%16s ", label);
		dt_bar_print(o, &bars, b.count[i], v->normal);
	}
}
