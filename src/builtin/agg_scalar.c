/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * count, sum, min, max, avg, stddev: functions whose result is one number. Their words:
 *
 *	count, sum, min, max	the value
 *	avg			count, sum (low word), sum (high word)
 *	stddev			count, sum (low word), sum of squares (low, high word), sum (high word)
 *
 * Sums of avg and stddev have 128 bits, in two's complement. Their high word is the last one, so that the
 * others are where clients of the library have always found them.
 *
 * Each has the same function three times: for the interpreter (_add, _merge), for the kernel (_lower), and
 * for the reader (_number).
 */
#include "bpf/field.h"
#include "bpf/image.h"
#include "builtin/agg_common.h"
#include "output/hist.h"
#include "output/json.h"

enum {					/* words of avg and stddev */
	COUNT, SUM,
	AVG_HIGH, AVG_WORDS,
	SQUARES = 2, SQUARES_HIGH, STDDEV_HIGH, STDDEV_WORDS,
};

/* How many words, and how they begin. */
static uint32_t nwords_1(uint64_t arg) { (void)arg; return 1; }
static uint32_t avg_nwords(uint64_t arg) { (void)arg; return AVG_WORDS; }
static uint32_t stddev_nwords(uint64_t arg) { (void)arg; return STDDEV_WORDS; }
static void init_1(int64_t *data, uint64_t arg) { (void)arg; dt_words_zero(data, 1); }
static void avg_init(int64_t *data, uint64_t arg) { (void)arg; dt_words_zero(data, AVG_WORDS); }
static void stddev_init(int64_t *data, uint64_t arg) { (void)arg; dt_words_zero(data, STDDEV_WORDS); }

static void merge_1(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	dt_words_add(data, other, 1);
}

/* ---- count, sum, min, max ---- */

/* The functions of one word. None of them has an increment. */
static void count_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)value, (void)incr;
	data[0] = dt_wrap_add(data[0], 1);
}

static void sum_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	data[0] = dt_wrap_add(data[0], value);
}

/* No value seen: any value replaces these. */
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

/* ---- sums of 128 bits ---- */

typedef unsigned __int128 u128;

static u128 wide(int64_t low, int64_t high) { return (u128)(uint64_t)high << 64 | (uint64_t)low; }

static void wide_set(int64_t *low, int64_t *high, u128 v)
{
	*low = (int64_t)(uint64_t)v;
	*high = (int64_t)(uint64_t)(v >> 64);
}

void dt_wide_add(int64_t *low, int64_t *high, int64_t value)
{
	wide_set(low, high, wide(*low, *high) + wide(value, value < 0 ? -1 : 0));
}

void dt_wide_merge(int64_t *low, int64_t *high, int64_t other_low, int64_t other_high)
{
	wide_set(low, high, wide(*low, *high) + wide(other_low, other_high));
}

static bool is_negative(u128 v) { return v >> 127; }
static u128 size_of(u128 v) { return is_negative(v) ? -v : v; }
static uint64_t size_of_word(int64_t v) { return v < 0 ? -(uint64_t)v : (uint64_t)v; }

/* A sum that was recorded before sums had a high word. */
static int64_t high_word(const struct dt_value *v, uint32_t at)
{
	return v->nwords > at ? v->words[at] : v->words[SUM] < 0 ? -1 : 0;
}

/* ---- avg ---- */

static void avg_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	data[COUNT] = dt_wrap_add(data[COUNT], 1);
	dt_wide_add(&data[SUM], &data[AVG_HIGH], value);
}

static void avg_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	data[COUNT] = dt_wrap_add(data[COUNT], other[COUNT]);
	dt_wide_merge(&data[SUM], &data[AVG_HIGH], other[SUM], other[AVG_HIGH]);
}

/*
 * The sum is normalised before it is divided, as in history: the result may differ from the normalised mean.
 */
int64_t dt_avg_value(const int64_t *data, int64_t normal)
{
	u128 sum = wide(data[SUM], data[AVG_HIGH]);
	bool minus = is_negative(sum) ^ (normal < 0) ^ (data[COUNT] < 0);
	uint64_t mean;

	if (!data[COUNT])
		return 0;
	mean = (uint64_t)(size_of(sum) / size_of_word(normal ? normal : 1) / size_of_word(data[COUNT]));
	return (int64_t)(minus ? -mean : mean);
}

/* ---- stddev ---- */

/* Unsigned, because clang's check of signed 128-bit products needs __muloti4, which libgcc does not have. */
static u128 square(int64_t v) { return (u128)size_of_word(v) * size_of_word(v); }

static void stddev_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	data[COUNT] = dt_wrap_add(data[COUNT], 1);
	dt_wide_add(&data[SUM], &data[STDDEV_HIGH], value);
	wide_set(&data[SQUARES], &data[SQUARES_HIGH],
	    wide(data[SQUARES], data[SQUARES_HIGH]) + square(value));
}

static void stddev_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	data[COUNT] = dt_wrap_add(data[COUNT], other[COUNT]);
	dt_wide_merge(&data[SUM], &data[STDDEV_HIGH], other[SUM], other[STDDEV_HIGH]);
	dt_wide_merge(&data[SQUARES], &data[SQUARES_HIGH], other[SQUARES], other[SQUARES_HIGH]);
}

/* The integer part of the root, bit by bit. */
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

/*
 * The integer part of the variance, exact. With the mean rounded down to m, and the rest r = sum - n m, the
 * squares of the distances from m add up to d = squares - m (sum + r), which fits 128 bits when the sum of
 * squares does; the variance is d / n - (r / n)^2, and the second term is below 1.
 */
static u128 variance(uint64_t n, u128 sum, u128 squares)
{
	u128 m = size_of(sum) / n, r = size_of(sum) % n, product, d;
	bool minus;

	if (is_negative(sum)) {
		m = r ? -(m + 1) : -m;
		r = r ? n - r : 0;
	}
	product = m * (sum + r);
	minus = is_negative(m) && !is_negative(sum + r) && sum + r != 0;
	if (!minus && product > squares)	/* words of different moments */
		return 0;
	d = squares - product;
	return d / n - (d / n != 0 && d % n * n < r * r);
}

uint64_t dt_stddev_value(const int64_t *data, int64_t normal)
{
	uint64_t n = (uint64_t)data[COUNT];

	if (!n)
		return 0;
	return square_root(variance(n, wide(data[SUM], data[STDDEV_HIGH]),
	    wide(data[SQUARES], data[SQUARES_HIGH]))) / size_of_word(normal ? normal : 1);
}

/* ---- in the kernel: r0 the words ---- */

/* r0 holds the address of the words, here and below; all CPUs have words of their own. */
static void count_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	(void)o;
	(void)drop;
	dt_agg_add_one(l, 0);
}

static void sum_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	(void)o, (void)drop;
	dt_agg_value_get(l, R1);
	dt_agg_add(l, 0, R1);
}

/*
 * The low word is added with BPF_FETCH, so that the carry into the high word is that of this very addition.
 * The high word of the value is its sign; mostly the carry makes up for it, or both are 0, and nothing is
 * added there.
 */
void dt_wide_lower(struct dt_lower *l, int low, int high)
{
	struct dt_emit *a = dt_code(l);
	uint32_t nocarry = dt_label(a), done = dt_label(a);

	dt_agg_value_get(l, R1);
	dt_mov(a, R3, R1);
	dt_atomic(a, BPF_ADD | BPF_FETCH, R0, 8 * low, R1);	/* R1 = what was there */
	dt_alu(a, BPF_ADD, R1, R3);
	dt_mov(a, R2, R3);
	dt_alui(a, BPF_ARSH, R2, 63);
	dt_jmp(a, BPF_JGE, R1, R3, nocarry);
	dt_alui(a, BPF_ADD, R2, 1);
	dt_put(a, nocarry);
	dt_jmpi(a, BPF_JEQ, R2, 0, done);
	dt_agg_add(l, high, R2);
	dt_put(a, done);
}

static void avg_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	(void)o, (void)drop;
	dt_agg_add_one(l, COUNT);
	dt_wide_lower(l, SUM, AVG_HIGH);
}

/* The square of a 64-bit size from its halves: l*l + (h*l << 33) + (h*h << 64), with the carries. */
static void stddev_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	struct dt_emit *a = dt_code(l);
	uint32_t pos = dt_label(a), nocarry = dt_label(a), nocarry2 = dt_label(a);

	(void)o, (void)drop;
	dt_agg_add_one(l, COUNT);
	dt_wide_lower(l, SUM, STDDEV_HIGH);
	dt_agg_value_get(l, R1);
	dt_jmpi(a, BPF_JSGE, R1, 0, pos);
	dt_neg(a, R1);
	dt_put(a, pos);
	dt_mov(a, R2, R1);
	dt_alui(a, BPF_RSH, R2, 32);		/* h */
	dt_alui(a, BPF_LSH, R1, 32);
	dt_alui(a, BPF_RSH, R1, 32);		/* l */
	dt_mov(a, R3, R2);
	dt_alu(a, BPF_MUL, R3, R1);		/* h*l */
	dt_alu(a, BPF_MUL, R1, R1);
	dt_alu(a, BPF_MUL, R2, R2);
	dt_mov(a, R4, R3);
	dt_alui(a, BPF_RSH, R4, 31);
	dt_alu(a, BPF_ADD, R2, R4);		/* high */
	dt_alui(a, BPF_LSH, R3, 33);
	dt_alu(a, BPF_ADD, R1, R3);		/* low */
	dt_jmp(a, BPF_JGE, R1, R3, nocarry);
	dt_alui(a, BPF_ADD, R2, 1);
	dt_put(a, nocarry);
	dt_mov(a, R3, R1);
	dt_atomic(a, BPF_ADD | BPF_FETCH, R0, 8 * SQUARES, R1);	/* R1 = what was there */
	dt_alu(a, BPF_ADD, R1, R3);
	dt_jmp(a, BPF_JGE, R1, R3, nocarry2);
	dt_alui(a, BPF_ADD, R2, 1);
	dt_put(a, nocarry2);
	dt_agg_add(l, SQUARES_HIGH, R2);
}

static void min_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	(void)o;
	dt_agg_extreme(l, 0, true, drop);
}

static void max_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	(void)o;
	dt_agg_extreme(l, 0, false, drop);
}

/* The kernel keeps extremes in a form in which 0 means none (dt_agg_extreme()). */
static void min_decode(int64_t *data, uint64_t arg)
{
	(void)arg;
	data[0] = dt_agg_extreme_value(data[0], true);
}
static void max_decode(int64_t *data, uint64_t arg)
{
	(void)arg;
	data[0] = dt_agg_extreme_value(data[0], false);
}

/* ---- compiling ---- */

/* count() has no argument at all. */
static void count_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *agg,
    struct dt_node *call)
{
	dt_agg_nargs(s, row, call, 0, 0);
	dt_agg_use(s, row, agg, call, NULL, NULL, 0);
}

/* ---- for those who print ---- */

/* What is shown: the word, divided by the normal. */
static void first_number(const struct dt_value *v, struct dt_value *number)
{
	number->i = v->nwords ? (uint64_t)dt_agg_normalize(v->words[0], v->normal) : 0;
}

static void avg_number(const struct dt_value *v, struct dt_value *number)
{
	int64_t data[AVG_WORDS];

	number->i = 0;
	if (v->nwords < AVG_HIGH)
		return;
	memcpy(data, v->words, AVG_HIGH * sizeof(*data));
	data[AVG_HIGH] = high_word(v, AVG_HIGH);
	number->i = (uint64_t)dt_avg_value(data, v->normal);
}

/* A deviation is never negative, so it may use all 64 bits. */
static void stddev_number(const struct dt_value *v, struct dt_value *number)
{
	int64_t data[STDDEV_WORDS];

	number->i = 0;
	number->is_signed = false;
	if (v->nwords < STDDEV_HIGH)
		return;
	memcpy(data, v->words, STDDEV_HIGH * sizeof(*data));
	data[STDDEV_HIGH] = high_word(v, STDDEV_HIGH);
	number->i = dt_stddev_value(data, v->normal);
}

#define NUMBER(f) .number = f, .compare = dt_agg_cmp_number, .text = dt_agg_number_text, \
	.json = dt_agg_number_json

const struct dt_aggfunc dt_aggfunc_count = {
	.names = DT_AGG_NAME("count", DT_ACT_COUNT, "void()", DT_VERS(1, 0, 0), count_compile,
	    "how often it was called"),
	.nwords = nwords_1,
	.init = init_1,
	.add = count_add,
	.merge = merge_1,
	.lower = count_lower,
	.seen = DT_SEEN_FIRST,
	.tally = true,
	NUMBER(first_number),
};

const struct dt_aggfunc dt_aggfunc_sum = {
	.names = DT_AGG_NAME("sum", DT_ACT_SUM, "void(int64_t)", DT_VERS(1, 0, 0), dt_agg_compile_value,
	    "the sum of the values"),
	.nwords = nwords_1,
	.init = init_1,
	.add = sum_add,
	.merge = merge_1,
	.lower = sum_lower,
	.seen = DT_SEEN_EXTRA,
	.tally = true,
	NUMBER(first_number),
};

const struct dt_aggfunc dt_aggfunc_min = {
	.names = DT_AGG_NAME("min", DT_ACT_MIN, "void(int64_t)", DT_VERS(1, 0, 0), dt_agg_compile_value,
	    "the smallest value"),
	.nwords = nwords_1,
	.init = min_init,
	.add = min_add,
	.merge = min_merge,
	.lower = min_lower,
	.seen = DT_SEEN_EXTRA,
	.decode = min_decode,
	NUMBER(first_number),
};

const struct dt_aggfunc dt_aggfunc_max = {
	.names = DT_AGG_NAME("max", DT_ACT_MAX, "void(int64_t)", DT_VERS(1, 0, 0), dt_agg_compile_value,
	    "the largest value"),
	.nwords = nwords_1,
	.init = max_init,
	.add = max_add,
	.merge = max_merge,
	.lower = max_lower,
	.seen = DT_SEEN_EXTRA,
	.decode = max_decode,
	NUMBER(first_number),
};

const struct dt_aggfunc dt_aggfunc_avg = {
	.names = DT_AGG_NAME("avg", DT_ACT_AVG, "void(int64_t)", DT_VERS(1, 0, 0), dt_agg_compile_value,
	    "the arithmetic mean"),
	.nwords = avg_nwords,
	.optional = 1,
	.init = avg_init,
	.add = avg_add,
	.merge = avg_merge,
	.lower = avg_lower,
	.seen = DT_SEEN_FIRST,
	NUMBER(avg_number),
};

const struct dt_aggfunc dt_aggfunc_stddev = {
	.names = DT_AGG_NAME("stddev", DT_ACT_STDDEV, "void(int64_t)", DT_VERS(1, 6, 0), dt_agg_compile_value,
	    "the standard deviation"),
	.nwords = stddev_nwords, .optional = 1, .init = stddev_init, .add = stddev_add, .merge = stddev_merge,
	.lower = stddev_lower, .seen = DT_SEEN_FIRST, NUMBER(stddev_number),
};
