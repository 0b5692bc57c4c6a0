/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data words of quantize(), lquantize() and llquantize(), seen as buckets in ascending order of
 * what they count. The aggregating function says which numbers a bucket is for (struct dt_bucketing).
 * Words that do not fit the parameters, as in a damaged file, make no buckets.
 */
#ifndef DT_OUTPUT_BUCKETS_H
#define DT_OUTPUT_BUCKETS_H

#include "value/value.h"

/* What is printed before a bucket's value. */
enum dt_bucket_label {
	DT_BL_VALUE,	/* "v": the end of the bucket that is nearest to 0 */
	DT_BL_LESS,	/* "< v" */
	DT_BL_GE,	/* ">= v" */
	DT_BL_LE,	/* "<= v" */
	DT_BL_ABS,	/* "abs() < v" ("< v" without negative data, "0" when v is 1) */
};

/* A histogram that was opened. `count` points into the value, which must outlive it. */
struct dt_buckets {
	const struct dt_bucketing *how;
	uint64_t arg;
	uint8_t unit;			/* of the labels */
	const int64_t *count;
	uint32_t n;
	uint32_t zero;			/* the bucket that counts 0; n: there is none */
	uint32_t empty;			/* the bucket to show when none counts anything */
	uint32_t hidden;		/* negative buckets that are left out as none counts anything */
};

/* The integers a bucket counts, both ends included; an outermost bucket has no outer end. */
struct dt_bucket_bounds { bool has_min, has_max; int64_t min, max; };

/* Which buckets aggpack shows in the one line of an element. */
enum dt_bucket_pack {
	DT_PACK_NONE,		/* the function has no such picture */
	DT_PACK_COUNTED,	/* those that count, and one more at each end */
	DT_PACK_ALL,
};

/* How an aggregating function divides numbers into buckets. */
struct dt_bucketing {
	uint32_t (*n)(uint64_t arg);
	void (*open)(struct dt_buckets *);	/* fills in zero, empty and hidden; the rest is set */
	int64_t (*bound)(const struct dt_buckets *, uint32_t i, enum dt_bucket_label *);
	/* only of a bucket whose label is DT_BL_VALUE */
	struct dt_bucket_bounds (*bounds)(const struct dt_buckets *, uint32_t i, int64_t bound);
	enum dt_bucket_pack pack;
};

/* False: the value is no histogram that can be shown. There is nothing to close. */
bool dt_buckets_open(struct dt_buckets *, const struct dt_value *agg);

/* "< 10", "20", ">= 100" … */
void dt_buckets_label(const struct dt_buckets *, uint32_t i, char *buf, size_t len);
struct dt_bucket_bounds dt_buckets_bounds(const struct dt_buckets *, uint32_t i);
/* A number that represents the bucket when histograms are compared. */
long double dt_buckets_value(const struct dt_buckets *, uint32_t i);
/*
 * The first and the last bucket that count anything. *first is n when none does, and *last is not set
 * then.
 */
void dt_buckets_range(const struct dt_buckets *, uint32_t *first, uint32_t *last);
/* The same range, one wider at both ends; or what an empty histogram shows. */
void dt_buckets_shown(const struct dt_buckets *, uint32_t *from, uint32_t *to);

#endif
