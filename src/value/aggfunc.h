/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic of the aggregating functions, for every executor and for those who print. Data are 64-bit words:
 *
 *	count, sum, min, max	the value
 *	avg			count, sum
 *	stddev			count, sum, sum of squares (low, high word of 128 bits)
 *	quantize		127 buckets
 *	lquantize		levels + 2 buckets: below, the levels, at or above
 *	llquantize		2 n + 3 buckets, symmetric around the middle one (number n + 1), n = dt_llquantize_positive():
 *				0 at or below -limit; 1 … n negative, the least first; n + 1 nearer to 0 than factor^low;
 *				n + 2 … 2 n + 1 positive; 2 n + 2 at or above the limit factor^(high + 1)
 *
 * lquantize's arg is step << 48 | levels << 32 | (uint32_t)base, llquantize's factor << 48 | low << 32 | high << 16 | nsteps.
 */
#ifndef DT_VALUE_AGGFUNC_H
#define DT_VALUE_AGGFUNC_H

#include "dif/builtin.h"

extern const struct dt_aggfunc dt_aggfunc_count, dt_aggfunc_min, dt_aggfunc_max, dt_aggfunc_avg, dt_aggfunc_sum,
	dt_aggfunc_stddev, dt_aggfunc_quantize, dt_aggfunc_lquantize, dt_aggfunc_llquantize;

/* What stands before a bucket's value when it is printed. */
enum dt_bucket_label {
	DT_BL_VALUE,	/* "v": the bucket's end nearest to 0 */
	DT_BL_LESS,	/* "< v" */
	DT_BL_GE,	/* ">= v" */
	DT_BL_LE,	/* "<= v" */
	DT_BL_ABS,	/* "abs() < v" ("< v" without negative data, "0" when v is 1) */
};

#define DT_QUANTIZE_ZERO 63		/* quantize: the bucket of 0 */

/* Number of buckets, where a value falls, a bucket's value and label. Bad args of ll/lquantize: 0 buckets. */
uint32_t dt_quantize_nbuckets(void);
uint32_t dt_quantize_bucket(int64_t value);
int64_t dt_quantize_value(uint32_t i);

uint32_t dt_lquantize_nbuckets(uint64_t arg);
uint32_t dt_lquantize_bucket(uint64_t arg, int64_t value);
int64_t dt_lquantize_value(uint64_t arg, uint32_t i);
enum dt_bucket_label dt_lquantize_label(uint64_t arg, uint32_t i);

uint32_t dt_llquantize_nbuckets(uint64_t arg);
uint32_t dt_llquantize_positive(uint64_t arg);	/* buckets on one side, without the outermost */
uint32_t dt_llquantize_bucket(uint64_t arg, int64_t value);
int64_t dt_llquantize_value(uint64_t arg, uint32_t i);	/* of 2^63: INT64_MAX */
enum dt_bucket_label dt_llquantize_label(uint64_t arg, uint32_t i);

/* Results of avg and stddev; normal is the divisor, 0 means 1. */
int64_t dt_avg_value(const int64_t *data, int64_t normal);
uint64_t dt_stddev_value(const int64_t *data, int64_t normal);

#endif
