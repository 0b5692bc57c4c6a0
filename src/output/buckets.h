/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data words of quantize(), lquantize() and llquantize() seen as buckets in ascending order of what they count.
 * Words that do not fit the parameters (a damaged file) make no buckets.
 */
#ifndef DT_OUTPUT_BUCKETS_H
#define DT_OUTPUT_BUCKETS_H

#include "value/value.h"

struct dt_buckets {
	uint16_t kind;
	uint64_t arg;
	const int64_t *count;
	uint32_t n;
	uint32_t zero;			/* the bucket of 0; lquantize without one: n */
	uint32_t hidden;		/* llquantize: negative buckets left out because none counts */
};

/* False: v is no histogram that can be shown. Nothing has to be closed. */
bool dt_buckets_open(struct dt_buckets *, const struct dt_value *agg);

/* "< 10", "20", ">= 100" … */
void dt_buckets_label(const struct dt_buckets *, uint32_t i, char *buf, size_t len);
/* The integers a bucket counts, both ends included; an outermost bucket has no outer end. */
struct dt_bucket_bounds { bool has_min, has_max; int64_t min, max; };
struct dt_bucket_bounds dt_buckets_bounds(const struct dt_buckets *, uint32_t i);
/* A number that stands for the bucket when histograms are compared. */
long double dt_buckets_value(const struct dt_buckets *, uint32_t i);
/* The first and last bucket that count anything; *first is n when none does. */
void dt_buckets_range(const struct dt_buckets *, uint32_t *first, uint32_t *last);
/* The same widened by one at both ends, or what an empty histogram shows. */
void dt_buckets_shown(const struct dt_buckets *, uint32_t *from, uint32_t *to);

#endif
