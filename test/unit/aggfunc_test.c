/* SPDX-License-Identifier: BSD-2-Clause */
/* The arithmetic of the aggregating functions, by tables of values, buckets and labels. */
#include "base/count.h"
#include "builtin/agg_common.h"
#include "check.h"

static void test_simple_aggs(void)
{
	int64_t a[5], b[5];

	dt_aggfunc_min.init(a, 0);
	CHECK_INT(a[0], INT64_MAX);
	dt_aggfunc_min.add(a, 0, -5, 1);
	dt_aggfunc_min.init(b, 0);
	dt_aggfunc_min.merge(b, 0, a);
	CHECK_INT(b[0], -5);
	dt_aggfunc_max.init(a, 0);
	CHECK_INT(a[0], INT64_MIN);
	dt_aggfunc_max.add(a, 0, -5, 1);
	CHECK_INT(a[0], -5);
	dt_aggfunc_avg.init(a, 0);
	CHECK_INT(dt_avg_value(a, 0), 0);
	dt_aggfunc_avg.add(a, 0, 10, 1);
	dt_aggfunc_avg.add(a, 0, -15, 1);
	CHECK_INT(dt_avg_value(a, 0), -2);
	dt_aggfunc_sum.init(a, 0);
	dt_aggfunc_sum.add(a, 0, INT64_MAX, 1);
	dt_aggfunc_sum.add(a, 0, 1, 1);
	CHECK_INT(a[0], INT64_MIN);
	dt_aggfunc_stddev.init(a, 0);
	dt_aggfunc_stddev.init(b, 0);
	for (int i = 0; i < 4; i++)
		dt_aggfunc_stddev.add(i < 2 ? a : b, 0, (const int64_t[]){ 10, 20, 30, 40 }[i], 1);
	dt_aggfunc_stddev.merge(a, 0, b);
	CHECK_INT(dt_stddev_value(a, 0), 11);	/* sqrt(750 - 625) */
	dt_aggfunc_stddev.init(a, 0);
	dt_aggfunc_stddev.add(a, 0, INT64_MIN, 1);
	CHECK_INT(dt_stddev_value(a, 0), 0);
	dt_aggfunc_stddev.add(a, 0, INT64_MIN, 1);
	CHECK_INT(a[3], INT64_MIN);	/* 2 * 2^126 = 2^127 */
}

/* N21: sums of avg and stddev have 128 bits, whether they are added up or merged. */
static void test_wide_sums(void)
{
	static const int64_t cases[][4] = {
		{ INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX },
		{ INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN },
		{ INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX },
		{ 1000000000, 1000000000, 1000000000, 1000000007 },
		{ -1, 0, 0, 0 },
		{ -1000000, 0, 0, -1000007 },
	};
	static const struct { int64_t avg; uint64_t stddev; } want[] = {
		{ INT64_MAX, 0 }, { INT64_MIN, 0 }, { 0, INT64_MAX }, { 1000000001, 3 }, { 0, 0 },
		{ -500001, 500001 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		int64_t a[2][3] = { { 0 } }, s[2][5] = { { 0 } };

		for (int k = 0; k < 4; k++) {
			dt_aggfunc_avg.add(a[k % 2], 0, cases[i][k], 1);
			dt_aggfunc_stddev.add(s[k % 2], 0, cases[i][k], 1);
		}
		dt_aggfunc_avg.merge(a[0], 0, a[1]);
		dt_aggfunc_stddev.merge(s[0], 0, s[1]);
		CHECK_INT(dt_avg_value(a[0], 0), want[i].avg);
		CHECK_INT(dt_stddev_value(s[0], 0), want[i].stddev);
	}
}

/* The root is the integer part of the true one: s^2 n^2 <= n squares - sum^2 < (s + 1)^2 n^2. */
static void test_stddev_exact(void)
{
	uint64_t seed = 21;

	for (int round = 0; round < 2000; round++) {
		__int128 squares = 0, sum = 0, n = 1 + round % 7, v, s;
		int64_t data[5] = { 0 };

		for (int i = 0; i < n; i++) {
			int64_t x;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			x = (int64_t)seed >> (16 + round % 48);
			x = round % 2 ? x : x % 10 + (1ll << 47);
			dt_aggfunc_stddev.add(data, 0, x, 1);
			squares += (__int128)x * x;
			sum += x;
		}
		v = n * squares - sum * sum;
		s = (__int128)dt_stddev_value(data, 0);
		CHECK(s * s * n * n <= v && v < (s + 1) * (s + 1) * n * n);
	}
}

/* Words that were recorded when sums had 64 bits: their sign counts for the missing one. */
static void test_older_words(void)
{
	const int64_t avg[] = { 2, -9 }, stddev[] = { 2, -9, 53, 0 };	/* -2 and -7 */
	struct dt_value v = { .kind = DT_V_AGG, .words = avg, .nwords = 2 }, number = { 0 };

	dt_aggfunc_avg.number(&v, &number);
	CHECK_INT((int64_t)number.i, -4);
	v.words = stddev;
	v.nwords = 4;
	dt_aggfunc_stddev.number(&v, &number);
	CHECK_INT(number.i, 2);			/* 2.5 */
	v.nwords = 1;
	dt_aggfunc_avg.number(&v, &number);
	CHECK_INT(number.i, 0);
}

static void test_quantize(void)
{
	static const struct { int64_t value; uint32_t bucket; int64_t shown; } cases[] = {
		{ 0, 63, 0 }, { 1, 64, 1 }, { 2, 65, 2 }, { 3, 65, 2 }, { 4, 66, 4 }, { -1, 62, -1 },
		{ -2, 61, -2 }, { -3, 61, -2 }, { -5, 60, -4 }, { INT64_MAX, 126, 1ll << 62 },
		{ 1ll << 62, 126, 1ll << 62 }, { (1ll << 62) - 1, 125, 1ll << 61 },
		{ INT64_MIN, 0, -(1ll << 62) }, { -(1ll << 62), 0, -(1ll << 62) },
		{ -(1ll << 62) + 1, 1, -(1ll << 61) },
	};
	int64_t data[127];

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		CHECK_INT(dt_quantize_bucket(cases[i].value), cases[i].bucket);
		CHECK_INT(dt_quantize_value(cases[i].bucket), cases[i].shown);
	}
	CHECK_INT(dt_aggfunc_quantize.nwords(0), 127);
	dt_aggfunc_quantize.init(data, 0);
	dt_aggfunc_quantize.add(data, 0, 5, 10);
	dt_aggfunc_quantize.add(data, 0, 7, -30);
	CHECK_INT(data[66], -20);
}

#define LQ(base, levels, step) ((uint64_t)(step) << 48 | (uint64_t)(levels) << 32 | (uint32_t)(base))

static void test_lquantize(void)
{
	uint64_t arg = LQ(-10, 4, 5);	/* -10 -5 0 5 | 10 */
	static const struct { int64_t value; uint32_t bucket; } cases[] = {
		{ INT64_MIN, 0 }, { -11, 0 }, { -10, 1 }, { -6, 1 }, { -5, 2 }, { 0, 3 }, { 9, 4 }, { 10, 5 },
		{ INT64_MAX, 5 },
	};
	int64_t data[6];

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		CHECK_INT(dt_lquantize_bucket(arg, cases[i].value), cases[i].bucket);
	CHECK_INT(dt_aggfunc_lquantize.nwords(arg), 6);
	CHECK(dt_lquantize_value(arg, 0) == -10 && dt_lquantize_label(arg, 0) == DT_BL_LESS);
	CHECK(dt_lquantize_value(arg, 2) == -5 && dt_lquantize_label(arg, 2) == DT_BL_VALUE);
	CHECK(dt_lquantize_value(arg, 5) == 10 && dt_lquantize_label(arg, 5) == DT_BL_GE);
	dt_aggfunc_lquantize.init(data, arg);
	dt_aggfunc_lquantize.add(data, arg, 3, 2);
	CHECK_INT(data[3], 2);
	CHECK_INT(dt_aggfunc_lquantize.nwords(0), 0);
	CHECK_INT(dt_lquantize_bucket(LQ(INT32_MIN, 65535, 65535), INT32_MAX), 65536);
}

#define LLQ(factor, low, high, nsteps) ((uint64_t)(factor) << 48 | (uint64_t)(low) << 32 | \
	(uint64_t)(high) << 16 | (nsteps))

static void check_llq(uint64_t arg, const int64_t *positive, uint32_t n)
{
	uint32_t middle = n + 1;

	CHECK_INT(dt_llquantize_positive(arg), n);
	CHECK_INT(dt_llquantize_nbuckets(arg), 2 * n + 3);
	for (uint32_t i = 0; i <= n; i++) {	/* the n values, then the limit */
		CHECK_INT(dt_llquantize_value(arg, middle + 1 + i), positive[i]);
		CHECK_INT(dt_llquantize_value(arg, middle - 1 - i), -positive[i]);
		CHECK_INT(dt_llquantize_bucket(arg, positive[i]), middle + 1 + i);
		CHECK_INT(dt_llquantize_bucket(arg, -positive[i]), middle - 1 - i);
		CHECK_INT(dt_llquantize_bucket(arg, positive[i] - 1), middle + i);
	}
	CHECK_INT(dt_llquantize_bucket(arg, 0), middle);
	CHECK_INT(dt_llquantize_bucket(arg, INT64_MAX), 2 * n + 2);
	CHECK_INT(dt_llquantize_bucket(arg, INT64_MIN), 0);
	CHECK(dt_llquantize_label(arg, 0) == DT_BL_LE && dt_llquantize_label(arg, 1) == DT_BL_VALUE);
	CHECK(dt_llquantize_label(arg, middle) == DT_BL_ABS &&
	    dt_llquantize_label(arg, 2 * n + 2) == DT_BL_GE);
}

static void test_llquantize(void)
{
	check_llq(LLQ(10, 0, 1, 10), (const int64_t[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70,
		80, 90, 100 }, 18);
	check_llq(LLQ(10, 1, 1, 20), (const int64_t[]){ 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70,
		75, 80, 85, 90, 95, 100 }, 18);
	check_llq(LLQ(10, 0, 1, 5), (const int64_t[]){ 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100 }, 10);
	check_llq(LLQ(2, 0, 3, 2), (const int64_t[]){ 1, 2, 4, 8, 16 }, 4);
	check_llq(LLQ(2, 2, 3, 8), (const int64_t[]){ 4, 5, 6, 7, 8, 10, 12, 14, 16 }, 8);
	CHECK_INT(dt_llquantize_nbuckets(LLQ(2, 0, 62, 2)), 2 * 63 + 3);
	CHECK_INT(dt_llquantize_bucket(LLQ(2, 0, 62, 2), INT64_MIN), 0);
	CHECK_INT(dt_llquantize_bucket(LLQ(2, 0, 62, 2), INT64_MAX), 2 * 63 + 1);
	CHECK_INT(dt_llquantize_nbuckets(LLQ(2, 0, 63, 2)) + dt_llquantize_nbuckets(LLQ(1, 0, 1, 2)) +
	    dt_llquantize_nbuckets(LLQ(10, 2, 1, 10)) +
	    dt_llquantize_nbuckets(LLQ(10, 0, 1, 0)), 0);
}

int main(void)
{
	test_simple_aggs();
	test_wide_sums();
	test_stddev_exact();
	test_older_words();
	test_quantize();
	test_lquantize();
	test_llquantize();
	return check_report("aggfunc");
}
