/* SPDX-License-Identifier: BSD-2-Clause */
/* Values in, words of data changed: the aggregating functions, and their buckets for those who print. All arithmetic wraps. */
#include "value/aggfunc.h"

static int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static void init_zero(int64_t *data, uint64_t arg, uint32_t n)
{
	(void)arg;
	memset(data, 0, n * sizeof(*data));
}

static uint32_t nwords_1(uint64_t arg) { (void)arg; return 1; }
static uint32_t nwords_2(uint64_t arg) { (void)arg; return 2; }
static uint32_t nwords_4(uint64_t arg) { (void)arg; return 4; }
static void init_1(int64_t *data, uint64_t arg) { init_zero(data, arg, 1); }
static void init_2(int64_t *data, uint64_t arg) { init_zero(data, arg, 2); }
static void init_4(int64_t *data, uint64_t arg) { init_zero(data, arg, 4); }

static void merge_n(int64_t *data, const int64_t *other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		data[i] = wrap_add(data[i], other[i]);
}
static void merge_1(int64_t *data, uint64_t arg, const int64_t *other) { (void)arg; merge_n(data, other, 1); }
static void merge_2(int64_t *data, uint64_t arg, const int64_t *other) { (void)arg; merge_n(data, other, 2); }

/* ---- count, sum, min, max, avg ---- */

static void count_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)value, (void)incr;
	data[0] = wrap_add(data[0], 1);
}

static void sum_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	data[0] = wrap_add(data[0], value);
}

static void min_init(int64_t *data, uint64_t arg) { (void)arg; data[0] = INT64_MAX; }
static void max_init(int64_t *data, uint64_t arg) { (void)arg; data[0] = INT64_MIN; }

static void min_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	if (value < data[0])
		data[0] = value;
}

static void max_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	if (value > data[0])
		data[0] = value;
}

static void min_merge(int64_t *data, uint64_t arg, const int64_t *other) { min_add(data, arg, other[0], 1); }
static void max_merge(int64_t *data, uint64_t arg, const int64_t *other) { max_add(data, arg, other[0], 1); }

static void avg_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	data[0] = wrap_add(data[0], 1);
	data[1] = wrap_add(data[1], value);
}

static int64_t divide(int64_t a, int64_t b) { return b == -1 ? (int64_t)-(uint64_t)a : a / b; }

int64_t dt_avg_value(const int64_t *data, int64_t normal)
{
	return data[0] ? divide(divide(data[1], normal ? normal : 1), data[0]) : 0;
}

/* ---- stddev ---- */

typedef unsigned __int128 u128;

/* Unsigned: clang's check of signed 128-bit products needs __muloti4, which libgcc does not have. */
static u128 square(int64_t v)
{
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;

	return (u128)size * size;
}

static u128 squares(const int64_t *data) { return (u128)(uint64_t)data[3] << 64 | (uint64_t)data[2]; }

static void squares_set(int64_t *data, u128 v)
{
	data[2] = (int64_t)(uint64_t)v;
	data[3] = (int64_t)(uint64_t)(v >> 64);
}

static void stddev_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	avg_add(data, arg, value, incr);
	squares_set(data, squares(data) + square(value));
}

static void stddev_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	merge_2(data, arg, other);
	squares_set(data, squares(data) + squares(other));
}

static uint64_t square_root(u128 v)
{
	u128 root = 0, bit = (u128)1 << 126;

	while (bit > v)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (v >= root + bit) {
			v -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return (uint64_t)root;
}

/* The variance is the mean of the squares less the square of the mean; rounding can leave it below 0. */
uint64_t dt_stddev_value(const int64_t *data, int64_t normal)
{
	u128 mean_of_squares, square_of_mean;
	uint64_t n = (uint64_t)data[0];

	if (!n)
		return 0;
	if (!normal)
		normal = 1;
	mean_of_squares = squares(data) / square(normal) / n;
	square_of_mean = square(divide(divide(data[1], normal), (int64_t)n));
	return mean_of_squares > square_of_mean ? square_root(mean_of_squares - square_of_mean) : 0;
}

/* ---- quantize ---- */

uint32_t dt_quantize_nbuckets(void) { return 2 * DT_QUANTIZE_ZERO + 1; }

static uint32_t log2_floor(uint64_t v) { return 63 - (uint32_t)__builtin_clzll(v); }

uint32_t dt_quantize_bucket(int64_t value)
{
	uint32_t order;

	if (value == 0)
		return DT_QUANTIZE_ZERO;
	order = log2_floor(value < 0 ? -(uint64_t)value : (uint64_t)value);
	if (order > DT_QUANTIZE_ZERO - 1)
		order = DT_QUANTIZE_ZERO - 1;	/* -2^63 falls to -2^62 */
	return value < 0 ? DT_QUANTIZE_ZERO - 1 - order : DT_QUANTIZE_ZERO + 1 + order;
}

int64_t dt_quantize_value(uint32_t i)
{
	if (i >= dt_quantize_nbuckets())
		i = dt_quantize_nbuckets() - 1;
	if (i < DT_QUANTIZE_ZERO)
		return -((int64_t)1 << (DT_QUANTIZE_ZERO - 1 - i));
	return i == DT_QUANTIZE_ZERO ? 0 : (int64_t)1 << (i - DT_QUANTIZE_ZERO - 1);
}

static uint32_t quantize_nwords(uint64_t arg) { (void)arg; return dt_quantize_nbuckets(); }
static void quantize_init(int64_t *data, uint64_t arg) { init_zero(data, arg, dt_quantize_nbuckets()); }

static void quantize_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	int64_t *bucket = &data[dt_quantize_bucket(value)];

	(void)arg;
	*bucket = wrap_add(*bucket, incr);
}

static void quantize_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	merge_n(data, other, dt_quantize_nbuckets());
}

/* ---- lquantize ---- */

struct lq { int64_t base, step, levels; };

static struct lq lq_of(uint64_t arg)
{
	return (struct lq){ .base = (int32_t)(uint32_t)arg, .levels = arg >> 32 & 0xffff, .step = arg >> 48 };
}

uint32_t dt_lquantize_nbuckets(uint64_t arg)
{
	struct lq q = lq_of(arg);

	return q.step && q.levels ? (uint32_t)q.levels + 2 : 0;
}

uint32_t dt_lquantize_bucket(uint64_t arg, int64_t value)
{
	struct lq q = lq_of(arg);

	if (value < q.base || !q.step)
		return 0;
	if (value >= q.base + q.levels * q.step)
		return (uint32_t)q.levels + 1;
	return (uint32_t)((value - q.base) / q.step) + 1;
}

int64_t dt_lquantize_value(uint64_t arg, uint32_t i)
{
	struct lq q = lq_of(arg);

	if (i == 0)
		return q.base;
	return q.base + (i > q.levels ? q.levels : i - 1) * q.step;
}

enum dt_bucket_label dt_lquantize_label(uint64_t arg, uint32_t i)
{
	if (i == 0)
		return DT_BL_LESS;
	return i > lq_of(arg).levels ? DT_BL_GE : DT_BL_VALUE;
}

static void lquantize_init(int64_t *data, uint64_t arg) { init_zero(data, arg, dt_lquantize_nbuckets(arg)); }

static void lquantize_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	if (dt_lquantize_nbuckets(arg)) {
		int64_t *bucket = &data[dt_lquantize_bucket(arg, value)];

		*bucket = wrap_add(*bucket, incr);
	}
}

static void lquantize_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	merge_n(data, other, dt_lquantize_nbuckets(arg));
}

/* ---- llquantize ---- */

struct llq { uint64_t factor, low, high, nsteps; bool good; };

/* One order of magnitude, from `from` up to but not including `to`, in steps; buckets end at multiples of the step. */
struct order { uint64_t from, to, step; uint32_t n; };

static struct llq llq_of(uint64_t arg)
{
	struct llq q = { .factor = arg >> 48, .low = arg >> 32 & 0xffff, .high = arg >> 16 & 0xffff, .nsteps = arg & 0xffff };
	uint64_t power = 1;

	if (q.factor < 2 || !q.nsteps || q.low > q.high || q.high > 63)
		return q;
	for (uint64_t i = 0; i <= q.high; i++) {
		if (__builtin_mul_overflow(power, q.factor, &power))
			return q;
	}
	q.good = true;
	return q;
}

static uint64_t power_of(uint64_t factor, uint64_t exponent)
{
	uint64_t power = 1;

	while (exponent--)
		power *= factor;
	return power;
}

static struct order order_of(const struct llq *q, uint64_t from)
{
	struct order o = { .from = from, .to = from * q->factor };

	o.step = o.to > q->nsteps ? o.to / q->nsteps : 1;
	o.n = (uint32_t)((o.to - 1) / o.step - o.from / o.step + 1);
	return o;
}

/* The orders one after the other; o->from is the next one's start, 0 starts. */
static bool order_next(const struct llq *q, uint64_t *exponent, struct order *o)
{
	*exponent = o->from ? *exponent + 1 : q->low;
	if (*exponent > q->high)
		return false;
	*o = order_of(q, o->from ? o->to : power_of(q->factor, q->low));
	return true;
}

uint32_t dt_llquantize_positive(uint64_t arg)
{
	struct llq q = llq_of(arg);
	struct order o = { 0 };
	uint64_t exponent = 0;
	uint32_t n = 0;

	while (q.good && order_next(&q, &exponent, &o))
		n += o.n;
	return n;
}

uint32_t dt_llquantize_nbuckets(uint64_t arg) { return llq_of(arg).good ? 2 * dt_llquantize_positive(arg) + 3 : 0; }

/* How far from the middle bucket a value of this size is; past the last order: n + 1. */
static uint32_t llq_distance(const struct llq *q, uint64_t size)
{
	struct order o = { 0 };
	uint64_t exponent = 0;
	uint32_t n = 0;

	while (order_next(q, &exponent, &o)) {
		if (size < o.from)
			return 0;
		if (size < o.to)
			return n + 1 + (uint32_t)(size / o.step - o.from / o.step);
		n += o.n;
	}
	return n + 1;
}

uint32_t dt_llquantize_bucket(uint64_t arg, int64_t value)
{
	struct llq q = llq_of(arg);
	uint32_t middle = dt_llquantize_positive(arg) + 1, d;

	if (!q.good)
		return 0;
	d = llq_distance(&q, value < 0 ? -(uint64_t)value : (uint64_t)value);
	return value < 0 ? middle - d : middle + d;
}

/* The smallest size that is d buckets from the middle; d 0: the middle's end. */
static uint64_t llq_size(const struct llq *q, uint32_t d)
{
	struct order o = { 0 };
	uint64_t exponent = 0;

	if (d == 0)
		return power_of(q->factor, q->low);
	d--;
	while (order_next(q, &exponent, &o)) {
		if (d < o.n)
			return d ? (o.from / o.step + d) * o.step : o.from;
		d -= o.n;
	}
	return o.to;
}

int64_t dt_llquantize_value(uint64_t arg, uint32_t i)
{
	struct llq q = llq_of(arg);
	uint32_t middle = dt_llquantize_positive(arg) + 1;
	uint64_t size;

	if (!q.good)
		return 0;
	size = llq_size(&q, i < middle ? middle - i : i - middle);
	if (i < middle)
		return size > INT64_MAX ? INT64_MIN : -(int64_t)size;
	return size > INT64_MAX ? INT64_MAX : (int64_t)size;
}

enum dt_bucket_label dt_llquantize_label(uint64_t arg, uint32_t i)
{
	uint32_t n = dt_llquantize_positive(arg);

	if (i == n + 1)
		return DT_BL_ABS;
	if (i == 0)
		return DT_BL_LE;
	return i > 2 * n + 1 ? DT_BL_GE : DT_BL_VALUE;
}

static void llquantize_init(int64_t *data, uint64_t arg) { init_zero(data, arg, dt_llquantize_nbuckets(arg)); }

static void llquantize_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	if (llq_of(arg).good) {
		int64_t *bucket = &data[dt_llquantize_bucket(arg, value)];

		*bucket = wrap_add(*bucket, incr);
	}
}

static void llquantize_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	merge_n(data, other, dt_llquantize_nbuckets(arg));
}

const struct dt_aggfunc dt_aggfunc_count = { nwords_1, init_1, count_add, merge_1 };
const struct dt_aggfunc dt_aggfunc_sum = { nwords_1, init_1, sum_add, merge_1 };
const struct dt_aggfunc dt_aggfunc_min = { nwords_1, min_init, min_add, min_merge };
const struct dt_aggfunc dt_aggfunc_max = { nwords_1, max_init, max_add, max_merge };
const struct dt_aggfunc dt_aggfunc_avg = { nwords_2, init_2, avg_add, merge_2 };
const struct dt_aggfunc dt_aggfunc_stddev = { nwords_4, init_4, stddev_add, stddev_merge };
const struct dt_aggfunc dt_aggfunc_quantize = { quantize_nwords, quantize_init, quantize_add, quantize_merge };
const struct dt_aggfunc dt_aggfunc_lquantize = { dt_lquantize_nbuckets, lquantize_init, lquantize_add, lquantize_merge };
const struct dt_aggfunc dt_aggfunc_llquantize = { dt_llquantize_nbuckets, llquantize_init, llquantize_add, llquantize_merge };
