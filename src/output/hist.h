/* SPDX-License-Identifier: BSD-2-Clause */
/* Bars: first every count is added, then each one is drawn against their total. */
#ifndef DT_OUTPUT_HIST_H
#define DT_OUTPUT_HIST_H

#include "value/value.h"
#include "output/out.h"

/* Magnitudes of counts: 64 bits each, so their sum needs more than an integer. */
struct dt_bars {
	long double total, max;
	bool positive, negative, utf8;
	unsigned cells;			/* of the longest bar */
};

void dt_bars_add(struct dt_bars *, int64_t count);
/* After the last count, before the first bar; others: the columns of what stands beside a bar. */
void dt_bars_finish(struct dt_bars *, const struct dt_print_opts *, size_t others);
void dt_bars_header(struct dt_out *, const struct dt_bars *, const char *what, int width);
/* The bar, the normalized count, and a newline. */
void dt_bar_print(struct dt_out *, const struct dt_bars *, int64_t count, int64_t normal);

/*
 * Division for display. A divisor of 0 means 1, and the one quotient that does not fit into 64 bits is
 * not taken: the value stays as it is.
 */
int64_t dt_agg_normalize(int64_t value, int64_t normal);
int dt_number_width(int64_t);		/* in decimal */

/* aggpack: a line for each element instead of a picture (aggpack.c). */
struct dt_aggrow;
bool dt_aggpack_print(struct dt_out *, const struct dt_aggrow *, size_t n, unsigned keywidth);
/*
 * Keys, in the narrow columns of agghist and aggpack; in the fitting layout, in one of `width`
 * (aggprint.c).
 */
void dt_packed_keys(struct dt_out *, const struct dt_aggrow *, unsigned width);
/* The fitting layout of all elements (fit.c). */
void dt_fit_print(struct dt_out *, const struct dt_aggrow *, size_t n);

#endif
