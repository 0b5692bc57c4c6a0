/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quantize(): 127 buckets. That of 0 is in the middle; each of the others begins at a power of two and ends
 * before the next one, away from 0.
 */
#include "bpf/field.h"
#include "bpf/image.h"
#include "builtin/agg_common.h"
#include "output/json.h"

/* 63 on each side of 0. */
uint32_t dt_quantize_nbuckets(void) { return 2 * DT_QUANTIZE_ZERO + 1; }

static uint32_t log2_floor(uint64_t v) { return 63 - (uint32_t)__builtin_clzll(v); }

/* The bucket number is the middle plus or minus 1 + log2 of the size. */
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

/* The bound of a bucket that is nearest to 0; numbers beyond the last bucket are the last. */
int64_t dt_quantize_value(uint32_t i)
{
	if (i >= dt_quantize_nbuckets())
		i = dt_quantize_nbuckets() - 1;
	if (i < DT_QUANTIZE_ZERO)
		return -((int64_t)1 << (DT_QUANTIZE_ZERO - 1 - i));
	return i == DT_QUANTIZE_ZERO ? 0 : (int64_t)1 << (i - DT_QUANTIZE_ZERO - 1);
}

static uint32_t quantize_nwords(uint64_t arg) { (void)arg; return dt_quantize_nbuckets(); }
static void quantize_init(int64_t *data, uint64_t arg)
{
	(void)arg;
	dt_words_zero(data, dt_quantize_nbuckets());
}

static void quantize_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	int64_t *bucket = &data[dt_quantize_bucket(value)];

	(void)arg;
	*bucket = dt_wrap_add(*bucket, incr);
}

static void quantize_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	(void)arg;
	dt_words_add(data, other, dt_quantize_nbuckets());
}

/* ---- in the kernel ---- */

/* The bucket is 63 + sign * (bits of the size). */
static void quantize_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	struct dt_emit *a = dt_code(l);

	dt_agg_value_get(l, R1);
	dt_mov(a, R2, R1);
	dt_alui(a, BPF_ARSH, R2, 63);		/* sign: -1 or 0 */
	dt_alu(a, BPF_XOR, R1, R2);
	dt_alu(a, BPF_SUB, R1, R2);		/* size */
	dt_agg_bits(l);
	dt_alu(a, BPF_XOR, R4, R2);
	dt_alu(a, BPF_SUB, R4, R2);
	dt_mov(a, R2, R4);
	dt_alui(a, BPF_ADD, R2, DT_QUANTIZE_ZERO);
	dt_agg_bucket(l, o, drop);
}

/* ---- for those who print ---- */

static uint32_t buckets_n(uint64_t arg) { (void)arg; return dt_quantize_nbuckets(); }
static void buckets_open(struct dt_buckets *b) { b->zero = b->empty = DT_QUANTIZE_ZERO; }

static int64_t bucket_bound(const struct dt_buckets *b, uint32_t i, enum dt_bucket_label *label)
{
	(void)b;
	*label = DT_BL_VALUE;
	return dt_quantize_value(i);
}

/* From one power of two to before the next; the outermost buckets are open. */
static struct dt_bucket_bounds bucket_bounds(const struct dt_buckets *b, uint32_t i, int64_t v)
{
	if (v == 0)
		return (struct dt_bucket_bounds){ true, true, 0, 0 };
	if (v > 0)
		return (struct dt_bucket_bounds){ true, i + 1 < b->n, v, i + 1 < b->n ? 2 * v - 1 : 0 };
	return (struct dt_bucket_bounds){ i > 0, true, i > 0 ? 2 * v + 1 : 0, v };
}

static const struct dt_bucketing bucketing = { buckets_n, buckets_open, bucket_bound, bucket_bounds,
	DT_PACK_COUNTED };

const struct dt_aggfunc dt_aggfunc_quantize = {
	.names = DT_AGG_NAME("quantize", DT_ACT_QUANTIZE, "void(int64_t, [int64_t])", DT_VERS(1, 0, 0),
	    dt_agg_compile_incr, "a histogram of powers of two"),
	.nwords = quantize_nwords,
	.init = quantize_init,
	.add = quantize_add,
	.merge = quantize_merge,
	.lower = quantize_lower,
	.seen = DT_SEEN_EXTRA,
	.buckets = &bucketing,
	.compare = dt_agg_cmp_buckets,
	.text = dt_hist_print,
	.json = dt_agg_buckets_json,
};
