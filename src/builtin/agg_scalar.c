/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * count, sum, min, max, avg, stddev: functions whose result is one number. Their words:
 *
 *	count, sum, min, max	the value
 *	avg			count, sum
 *	stddev			count, sum, sum of squares (low, high word of 128 bits)
 *
 * Each has the same function three times: for the interpreter (_add, _merge), for the kernel (_lower), and
 * for the reader (_number).
 */
#include "bpf/field.h"
#include "bpf/image.h"
#include "builtin/agg.h"
#include "output/hist.h"
#include "output/json.h"

/* How many words, and how they begin. */
static uint32_t nwords_1(uint64_t arg) { (void)arg; return 1; }
static uint32_t nwords_2(uint64_t arg) { (void)arg; return 2; }
static uint32_t nwords_4(uint64_t arg) { (void)arg; return 4; }
static void init_1(int64_t *data, uint64_t arg) { (void)arg; dt_words_zero(data, 1); }
static void init_2(int64_t *data, uint64_t arg) { (void)arg; dt_words_zero(data, 2); }
static void init_4(int64_t *data, uint64_t arg) { (void)arg; dt_words_zero(data, 4); }

static void merge_1(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	dt_words_add(data, other, 1);
}
static void merge_2(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	dt_words_add(data, other, 2);
}

/* ---- count, sum, min, max, avg ---- */

/* The functions of one word, and avg, which has two. None of them has an increment. */
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

static void avg_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	data[0] = dt_wrap_add(data[0], 1);
	data[1] = dt_wrap_add(data[1], value);
}

/* INT64_MIN / -1 would trap; it wraps here, as D's arithmetic does. */
static int64_t divide(int64_t a, int64_t b) { return b == -1 ? (int64_t)-(uint64_t)a : a / b; }

/*
 * The sum is normalised before it is divided, as in history: the result may differ from the normalised mean.
 */
int64_t dt_avg_value(const int64_t *data, int64_t normal)
{
	return data[0] ? divide(divide(data[1], normal ? normal : 1), data[0]) : 0;
}

/* ---- stddev ---- */

typedef unsigned __int128 u128;

/* Unsigned, because clang's check of signed 128-bit products needs __muloti4, which libgcc does not have. */
static u128 square(int64_t v)
{
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;

	return (u128)size * size;
}

/* The sum of squares, from its two words and back. */
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

static void avg_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	(void)o, (void)drop;
	dt_agg_add_one(l, 0);
	dt_agg_value_get(l, R1);
	dt_agg_add(l, 1, R1);
}

/*
 * The square of a 64-bit size from its halves: l*l + (h*l << 33) + (h*h << 64), with the carries. The low
 * word is added with BPF_FETCH, so that the carry into the high word is that of this very addition.
 */
static void stddev_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	struct dt_emit *a = dt_code(l);
	uint32_t pos = dt_label(a), nocarry = dt_label(a), nocarry2 = dt_label(a);

	avg_lower(l, o, drop);
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
	dt_atomic(a, BPF_ADD | BPF_FETCH, R0, 16, R1);	/* R1 = what was there */
	dt_alu(a, BPF_ADD, R1, R3);
	dt_jmp(a, BPF_JGE, R1, R3, nocarry2);
	dt_alui(a, BPF_ADD, R2, 1);
	dt_put(a, nocarry2);
	dt_agg_add(l, 3, R2);
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
	number->i = v->nwords >= 2 ? (uint64_t)dt_avg_value(v->words, v->normal) : 0;
}

/* A deviation is never negative, so it may use all 64 bits. */
static void stddev_number(const struct dt_value *v, struct dt_value *number)
{
	number->i = v->nwords >= 4 ? dt_stddev_value(v->words, v->normal) : 0;
	number->is_signed = false;
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
	.nwords = nwords_2,
	.init = init_2,
	.add = avg_add,
	.merge = merge_2,
	.lower = avg_lower,
	.seen = DT_SEEN_FIRST,
	NUMBER(avg_number),
};

const struct dt_aggfunc dt_aggfunc_stddev = {
	.names = DT_AGG_NAME("stddev", DT_ACT_STDDEV, "void(int64_t)", DT_VERS(1, 6, 0), dt_agg_compile_value,
	    "the standard deviation"),
	.nwords = nwords_4, .init = init_4, .add = stddev_add, .merge = stddev_merge,
	.lower = stddev_lower, .seen = DT_SEEN_FIRST, NUMBER(stddev_number),
};
