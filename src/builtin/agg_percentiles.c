/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * percentiles(): how many values there were, their mean, the least, those that 50, 90, 99 and 99.9 percent do
 * not exceed, and the greatest. It is for latencies, where a mean hides too much and a histogram is too long.
 * Its words:
 *
 *	0 count, 1 sum, 2 least, 3 greatest	exact
 *	4 …					buckets in ascending order, with that of 0 in the middle
 *	the last				the high word of the sum, which has 128 bits
 *
 * Buckets are log-linear. A number below 32 has one of its own; from there on each power of two is cut into
 * 16 of the same width. A bucket is shown as its middle, which is off by at most 1/32 of the number (3.1 %)
 * and never outside of what was seen. Percentiles are by nearest rank: the least number that is not exceeded
 * by that share of the values. The first and the last rank are exact.
 *
 * Negative numbers have buckets of the same kind. Merging adds buckets, so the order in which CPUs and
 * snapshots come together does not matter.
 */
#include "base/count.h"
#include "bpf/field.h"
#include "bpf/image.h"
#include "builtin/agg_common.h"
#include "output/hist.h"
#include "output/json.h"

enum {
	STEPS = 16,			/* of each power of two; the order of it is STEP_BITS */
	STEP_BITS = 4,
	SIDE = (63 - STEP_BITS) * STEPS + STEPS,	/* buckets of the numbers 0 … 2^63 - 1 */
	BUCKETS = 2 * SIDE - 1,
	COUNT = 0, SUM, LEAST, GREATEST, FIRST,	/* words */
	ZERO = FIRST + SIDE - 1,	/* the word of the bucket of 0 */
	SUM_HIGH = FIRST + BUCKETS,
	WORDS,
};

/* ---- data ---- */

/* -2^63 has no positive counterpart: it goes with 2^63 - 1, as in the kernel. */
static uint64_t size_of(int64_t v) { return v == INT64_MIN ? INT64_MAX : (uint64_t)(v < 0 ? -v : v); }

/* How far a number of this size is from the bucket of 0; percentiles_lower() computes the same. */
static uint32_t bucket_distance(uint64_t size)
{
	uint32_t shift = 63 - STEP_BITS - (uint32_t)__builtin_clzll(size | STEPS);

	return shift * STEPS + (uint32_t)(size >> shift);
}

/* The word of the bucket that a value falls into. */
static uint32_t word_of(int64_t v)
{
	return v < 0 ? ZERO - bucket_distance(size_of(v)) : ZERO + bucket_distance(size_of(v));
}

/* The number that stands for a bucket: its middle. */
static int64_t bucket_middle(uint32_t word)
{
	uint32_t d = word < ZERO ? ZERO - word : word - ZERO, shift = d < 2 * STEPS ? 0 : d / STEPS - 1;
	uint64_t from = (uint64_t)(d - shift * STEPS) << shift;
	int64_t v = (int64_t)(from + ((1ull << shift) - 1) / 2);

	return word < ZERO ? -v : v;
}

static uint32_t percentiles_nwords(uint64_t arg) { (void)arg; return WORDS; }

/* Nothing seen: the extremes are such that any value replaces them. */
static void percentiles_init(int64_t *data, uint64_t arg)
{
	(void)arg;
	dt_words_zero(data, WORDS);
	data[LEAST] = INT64_MAX;
	data[GREATEST] = INT64_MIN;
}

static void widen_extremes(int64_t *data, int64_t least, int64_t greatest)
{
	data[LEAST] = least < data[LEAST] ? least : data[LEAST];
	data[GREATEST] = greatest > data[GREATEST] ? greatest : data[GREATEST];
}

static void percentiles_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	(void)arg, (void)incr;
	data[COUNT] = dt_wrap_add(data[COUNT], 1);
	dt_wide_add(&data[SUM], &data[SUM_HIGH], value);
	widen_extremes(data, value, value);
	data[word_of(value)] = dt_wrap_add(data[word_of(value)], 1);
}

static void percentiles_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	data[COUNT] = dt_wrap_add(data[COUNT], other[COUNT]);
	dt_wide_merge(&data[SUM], &data[SUM_HIGH], other[SUM], other[SUM_HIGH]);
	widen_extremes(data, other[LEAST], other[GREATEST]);
	dt_words_add(data + FIRST, other + FIRST, BUCKETS);
}

/* ---- in the kernel ---- */

/*
 * Several words change one after the other, so a snapshot may fall in between: printing relies on the
 * buckets alone. R2 is the sign, R3 the size and then the distance, R4 the shift.
 */
static void percentiles_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	struct dt_emit *a = dt_code(l);

	dt_agg_extreme(l, LEAST, true, drop);
	dt_agg_extreme(l, GREATEST, false, drop);
	dt_agg_add_one(l, COUNT);
	dt_wide_lower(l, SUM, SUM_HIGH);
	dt_agg_value_get(l, R1);
	dt_mov(a, R2, R1);
	dt_alui(a, BPF_ARSH, R2, 63);		/* sign: -1 or 0 */
	dt_alu(a, BPF_XOR, R1, R2);
	dt_alu(a, BPF_SUB, R1, R2);
	dt_mov(a, R3, R1);
	dt_alui(a, BPF_RSH, R3, 63);
	dt_alu(a, BPF_SUB, R1, R3);		/* size; 2^63 goes with 2^63 - 1 */
	dt_mov(a, R3, R1);
	dt_alui(a, BPF_OR, R1, STEPS);
	dt_agg_bits(l);
	dt_alui(a, BPF_SUB, R4, STEP_BITS + 1);	/* shift */
	dt_alu(a, BPF_RSH, R3, R4);
	dt_alui(a, BPF_LSH, R4, STEP_BITS);
	dt_alu(a, BPF_ADD, R3, R4);		/* distance */
	dt_alu(a, BPF_XOR, R3, R2);
	dt_alu(a, BPF_SUB, R3, R2);
	dt_mov(a, R2, R3);
	dt_alui(a, BPF_ADD, R2, ZERO);
	dt_agg_word(l, o, drop);
	dt_imm(a, R1, 1);
	dt_atomic(a, BPF_ADD, R3, 0, R1);
}

/* The kernel keeps extremes in a form in which 0 means none (dt_agg_extreme()). */
static void percentiles_decode(int64_t *data, uint64_t arg)
{
	(void)arg;
	data[LEAST] = dt_agg_extreme_value(data[LEAST], true);
	data[GREATEST] = dt_agg_extreme_value(data[GREATEST], false);
}

/* ---- for those who print ---- */

/* How many values the buckets hold. */
static uint64_t total_count(const int64_t *data)
{
	uint64_t n = 0;

	for (uint32_t i = FIRST; i < FIRST + BUCKETS; i++)
		n += (uint64_t)data[i];
	return n;
}

/*
 * The number of this rank, from 1 to n. n is the total of the buckets and not the count, since a snapshot may
 * have fallen between the two.
 */
static int64_t value_of_rank(const int64_t *data, uint64_t rank, uint64_t n)
{
	uint64_t before = 0;
	uint32_t i = FIRST;
	int64_t v;

	if (rank <= 1)
		return data[LEAST];
	if (rank >= n)
		return data[GREATEST];
	while (i < FIRST + BUCKETS - 1 && before + (uint64_t)data[i] < rank)
		before += (uint64_t)data[i++];
	v = bucket_middle(i);
	return v < data[LEAST] ? data[LEAST] : v > data[GREATEST] ? data[GREATEST] : v;
}

/* The high word of the sum; a value that was recorded before there was one has only its sign. */
static int64_t sum_high(const struct dt_value *v)
{
	return v->nwords >= WORDS ? v->words[SUM_HIGH] : v->words[SUM] < 0 ? -1 : 0;
}

/*
 * The count stays what it is when the aggregation is normalised: the divisor is a unit of the values. A value
 * that is too short is as if nothing had been seen.
 */
static uint32_t percentiles_parts(const struct dt_value *v, struct dt_aggpart part[DT_AGGPARTS])
{
	static const struct { const char *name; unsigned permille; } rows[] = {
		{ "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 },
	};
	static const int64_t none[FIRST];
	bool there = v->nwords >= SUM_HIGH;
	const int64_t *data = there ? v->words : none;
	const int64_t mean[] = { data[COUNT], data[SUM], there ? sum_high(v) : 0 };
	uint64_t n = there ? total_count(data) : 0;
	uint32_t at = 0;

	part[at++] = (struct dt_aggpart){ "count", data[COUNT] };
	part[at++] = (struct dt_aggpart){ "avg", dt_avg_value(mean, v->normal) };
	part[at++] = (struct dt_aggpart){ "min", n ? dt_agg_normalize(data[LEAST], v->normal) : 0 };
	for (size_t i = 0; i < DT_COUNT(rows); i++) {
		uint64_t rank = (uint64_t)(((unsigned __int128)n * rows[i].permille + 999) / 1000);

		part[at++] = (struct dt_aggpart){ rows[i].name,
			n ? dt_agg_normalize(value_of_rank(data, rank, n), v->normal) : 0 };
	}
	part[at++] = (struct dt_aggpart){ "max", n ? dt_agg_normalize(data[GREATEST], v->normal) : 0 };
	return at;
}

/* As histograms are compared: by the sum of all values, then by their number. */
static int percentiles_compare(const struct dt_value *a, const struct dt_value *b)
{
	if (a->nwords < SUM_HIGH || b->nwords < SUM_HIGH)
		return 0;
	if (sum_high(a) != sum_high(b))
		return sum_high(a) < sum_high(b) ? -1 : 1;
	if (a->words[SUM] != b->words[SUM])
		return (uint64_t)a->words[SUM] < (uint64_t)b->words[SUM] ? -1 : 1;
	return (a->words[COUNT] > b->words[COUNT]) - (a->words[COUNT] < b->words[COUNT]);
}

const struct dt_aggfunc dt_aggfunc_percentiles = {
	.names = DT_AGG_NAME("percentiles", DT_ACT_PERCENTILES, "void(int64_t)", DT_VERS(1, 14, 0),
	    dt_agg_compile_value,
	    "count, mean, least and greatest value, and the 50th, 90th, 99th and 99.9th percentile within 3 "
	    "%"),
	.nwords = percentiles_nwords,
	.optional = 1,
	.init = percentiles_init,
	.add = percentiles_add,
	.merge = percentiles_merge,
	.lower = percentiles_lower,
	.seen = DT_SEEN_FIRST,
	.decode = percentiles_decode,
	.parts = percentiles_parts,
	.compare = percentiles_compare,
	.text = dt_agg_parts_text,
	.json = dt_agg_parts_json,
};
