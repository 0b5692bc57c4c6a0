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

enum { BAR = 40, LEAST = 10, MOST = 80 };	/* cells of a bar: historic, and what `fit` may make of it */

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

/* Besides the bar a line has its edge, a blank on either side of it, and `others`. */
static unsigned cells_of(const struct dt_print_opts *opts, size_t others)
{
	size_t used = others + 3;

	if (!opts->fit || opts->columns == 0)
		return BAR;
	if (opts->columns < used + LEAST)
		return LEAST;
	return opts->columns - used > MOST ? MOST : (unsigned)(opts->columns - used);
}

void dt_bars_finish(struct dt_bars *b, const struct dt_print_opts *opts, size_t others)
{
	b->utf8 = opts->utf8;
	b->cells = cells_of(opts, others);
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
	long double cells = b->total == 0 ? 0 : magnitude(count) * b->cells / b->total;
	unsigned whole = cells > b->cells ? b->cells : (unsigned)cells;
	unsigned part = whole < b->cells ? (unsigned)((cells - whole) * 8) : 0;

	dt_out_str(o, "|");
	for (unsigned i = 0; i < whole; i++)
		dt_out_utf8(o, 0x2588);
	if (part)
		dt_out_utf8(o, 0x2590 - part);
	dt_out_pad(o, ' ', b->cells - whole - !!part);
}

/* Counts of both signs: negative ones grow to the left of the middle, positive ones to the right. */
static void split_bar(struct dt_out *o, const struct dt_bars *b, int64_t count)
{
	unsigned half = b->cells / 2, n = bar_length(b, count, half);
	bool left = count <= 0;

	dt_out_pad(o, ' ', left ? half - n : half);
	dt_out_pad(o, '@', left ? n : 0);
	dt_out_str(o, "|");
	dt_out_pad(o, '@', left ? 0 : n);
	dt_out_pad(o, ' ', left ? half : half - n);
}

/* Block characters are for positive counts only: there are none that grow to the left. */
static void draw_bar(struct dt_out *o, const struct dt_bars *b, int64_t count)
{
	unsigned n = bar_length(b, count, b->cells);

	if (b->negative && b->positive) {
		split_bar(o, b, count);
	} else if (b->negative) {
		dt_out_pad(o, ' ', b->cells - n);
		dt_out_pad(o, '@', n);
		dt_out_str(o, "|");
	} else if (b->utf8) {
		block_bar(o, b, count);
	} else {
		dt_out_str(o, "|");
		dt_out_pad(o, '@', n);
		dt_out_pad(o, ' ', b->cells - n);
	}
}

void dt_bar_print(struct dt_out *o, const struct dt_bars *b, int64_t count, int64_t normal)
{
	dt_out_color(o, DT_COLOR_BAR);
	draw_bar(o, b, count);
	dt_out_color(o, DT_COLOR_END);
	dt_out_printf(o, " %-*" PRId64 "\n", o->opts->fit ? 0 : 9, dt_agg_normalize(count, normal));
}

/* The word stands in the middle of a line that is as long as the bars. */
void dt_bars_header(struct dt_out *o, const struct dt_bars *b, const char *what, int width)
{
	static const char word[] = " Distribution ";
	unsigned n = b->cells > sizeof(word) - 1 ? b->cells - (sizeof(word) - 1) : 0;

	dt_out_str(o, "\n");
	dt_out_color(o, DT_COLOR_HEAD);
	dt_out_printf(o, "%*s  ", width, what);
	dt_out_pad(o, '-', n / 2);
	dt_out_put(o, word + !n, sizeof(word) - 1 - 2 * !n);
	dt_out_pad(o, '-', n - n / 2);
	dt_out_printf(o, " %-*s", o->opts->fit ? 0 : 9, "count");
	dt_out_color(o, DT_COLOR_END);
	dt_out_str(o, "\n");
}

int dt_number_width(int64_t n)
{
	return snprintf(NULL, 0, "%" PRId64, n);
}

/* The widest label and the widest count of the rows from `from` to `to`. */
static void measure(struct dt_buckets *b, uint32_t from, uint32_t to, int64_t normal, int *label, int *count)
{
	char text[64];

	*label = (int)strlen("value");
	*count = (int)strlen("count");
	for (uint32_t i = from; i <= to; i++) {
		int width = dt_number_width(dt_agg_normalize(b->count[i], normal));

		dt_buckets_label(b, i, text, sizeof(text));
		*label = (int)strlen(text) > *label ? (int)strlen(text) : *label;
		*count = width > *count ? width : *count;
	}
}

/*
 * How many rows from `i` on, the last one left out, count nothing and stand between others: the fitting
 * layout has one line for many of them.
 */
static uint32_t gap_at(const struct dt_out *o, const struct dt_buckets *b, uint32_t i, uint32_t from,
    uint32_t to)
{
	uint32_t n = 0;

	while (o->opts->fit && i > from && i + n < to && b->count[i + n] == 0)
		n++;
	return n > 3 ? n - 1 : 0;
}

/* Data that do not fit their parameters are said to be so, rather than drawn. */
void dt_hist_print(struct dt_out *o, const struct dt_value *v)
{
	struct dt_bars bars = { 0 };
	struct dt_buckets b;
	uint32_t from, to;
	int width = 16, counts = 9;
	char label[64];

	if (!dt_buckets_open(&b, v)) {
		dt_out_str(o, "\n(histogram does not fit its parameters)\n");
		return;
	}
	dt_buckets_shown(&b, &from, &to);
	for (uint32_t i = from; i <= to; i++)
		dt_bars_add(&bars, b.count[i]);
	if (o->opts->fit)
		measure(&b, from, to, v->normal, &width, &counts);
	dt_bars_finish(&bars, o->opts, (size_t)(width + counts));
	dt_bars_header(o, &bars, "value", width);
	for (uint32_t i = from; i <= to && !o->failed; i++) {
		uint32_t gap = gap_at(o, &b, i, from, to);

		if (gap > 0) {
			dt_out_printf(o, "%*s\n", width, "...");
			i += gap;
		}
		dt_buckets_label(&b, i, label, sizeof(label));
		dt_out_printf(o, "%*s ", width, label);
		dt_bar_print(o, &bars, b.count[i], v->normal);
	}
}
