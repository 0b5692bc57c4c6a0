/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data words of quantize(), lquantize() and llquantize() seen as buckets in ascending order of what
 * they count; which numbers a bucket is for is said by its aggregating function (struct dt_bucketing).
 * Words that do not fit the parameters (a damaged file) make no buckets.
 */
#ifndef DT_OUTPUT_BUCKETS_H
#define DT_OUTPUT_BUCKETS_H

#include "value/value.h"

/* What stands before a bucket's value when it is printed. */
enum dt_bucket_label {
	DT_BL_VALUE,	/* "v": the bucket's end nearest to 0 */
	DT_BL_LESS,	/* "< v" */
	DT_BL_GE,	/* ">= v" */
	DT_BL_LE,	/* "<= v" */
	DT_BL_ABS,	/* "abs() < v" ("< v" without negative data, "0" when v is 1) */
};

struct dt_buckets {
	const struct dt_bucketing *how;
	uint64_t arg;
	const int64_t *count;
	uint32_t n;
	uint32_t zero;			/* the bucket of 0; n: there is none */
	uint32_t empty;			/* the one to show where none counts */
	uint32_t hidden;		/* negative buckets left out because none counts */
};

/* The integers a bucket counts, both ends included; an outermost bucket has no outer end. */
struct dt_bucket_bounds { bool has_min, has_max; int64_t min, max; };

enum dt_bucket_pack {		/* aggpack: one line for each element */
	DT_PACK_NONE,		/* it has no such picture */
	DT_PACK_COUNTED,	/* of those that count, and one more at each end */
	DT_PACK_ALL,		/* of all */
};

struct dt_bucketing {			/* of an aggregating function */
	uint32_t (*n)(uint64_t arg);
	void (*open)(struct dt_buckets *);	/* says zero, empty, hidden; the rest is there */
	int64_t (*bound)(const struct dt_buckets *, uint32_t i, enum dt_bucket_label *);
	/* of one whose label is DT_BL_VALUE */
	struct dt_bucket_bounds (*bounds)(const struct dt_buckets *, uint32_t i, int64_t bound);
	enum dt_bucket_pack pack;
};

/* False: v is no histogram that can be shown. Nothing has to be closed. */
bool dt_buckets_open(struct dt_buckets *, const struct dt_value *agg);

/* "< 10", "20", ">= 100" … */
void dt_buckets_label(const struct dt_buckets *, uint32_t i, char *buf, size_t len);
struct dt_bucket_bounds dt_buckets_bounds(const struct dt_buckets *, uint32_t i);
/* A number that stands for the bucket when histograms are compared. */
long double dt_buckets_value(const struct dt_buckets *, uint32_t i);
/* The first and last bucket that count anything; *first is n when none does. */
void dt_buckets_range(const struct dt_buckets *, uint32_t *first, uint32_t *last);
/* The same widened by one at both ends, or what an empty histogram shows. */
void dt_buckets_shown(const struct dt_buckets *, uint32_t *from, uint32_t *to);

#endif
