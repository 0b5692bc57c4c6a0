/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lquantize(): buckets of one size between two limits, and one at each end for what lies outside. `arg` holds
 * step << 48 | levels << 32 | base, with a signed base of 32 bits, so that all sums here fit 64 bits.
 */
#include "bpf/field.h"
#include "bpf/image.h"
#include "builtin/agg_common.h"
#include "output/json.h"

struct lq { int64_t base, step, levels; };

/* The parameters, decoded. */
static struct lq lq_of(uint64_t arg)
{
	return (struct lq){ .base = (int32_t)(uint32_t)arg, .levels = arg >> 32 & 0xffff, .step = arg >> 48 };
}

/* 0 for parameters that are not good. */
uint32_t dt_lquantize_nbuckets(uint64_t arg)
{
	struct lq q = lq_of(arg);

	return q.step && q.levels ? (uint32_t)q.levels + 2 : 0;
}

/* Bucket 0 is below the base, bucket levels + 1 at or above the limit. */
uint32_t dt_lquantize_bucket(uint64_t arg, int64_t value)
{
	struct lq q = lq_of(arg);

	if (value < q.base || !q.step)
		return 0;
	if (value >= q.base + q.levels * q.step)
		return (uint32_t)q.levels + 1;
	return (uint32_t)((value - q.base) / q.step) + 1;
}

/* What a bucket begins with; of the two outer ones the limit they lie beyond. */
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

static void lquantize_init(int64_t *data, uint64_t arg) { dt_words_zero(data, dt_lquantize_nbuckets(arg)); }

/* Parameters that are not good have no buckets, so nothing is written. */
static void lquantize_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	if (dt_lquantize_nbuckets(arg)) {
		int64_t *bucket = &data[dt_lquantize_bucket(arg, value)];

		*bucket = dt_wrap_add(*bucket, incr);
	}
}

static void lquantize_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	dt_words_add(data, other, dt_lquantize_nbuckets(arg));
}

/* ---- in the kernel ---- */

/* R2 becomes the number of the bucket. The same comparisons as in dt_lquantize_bucket(), all signed. */
static void lquantize_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	struct dt_emit *a = dt_code(l);
	int64_t base = (int32_t)(uint32_t)o->arg, levels = o->arg >> 32 & 0xffff, step = o->arg >> 48;
	uint32_t have = dt_label(a);

	dt_agg_value_get(l, R1);
	dt_imm(a, R3, (uint64_t)base);
	dt_imm(a, R2, 0);
	dt_jmp(a, BPF_JSLT, R1, R3, have);
	dt_imm(a, R4, (uint64_t)(base + levels * step));
	dt_imm(a, R2, (uint64_t)levels + 1);
	dt_jmp(a, BPF_JSGE, R1, R4, have);
	dt_mov(a, R2, R1);
	dt_alu(a, BPF_SUB, R2, R3);
	dt_alui(a, BPF_DIV, R2, (int32_t)step);
	dt_alui(a, BPF_ADD, R2, 1);
	dt_put(a, have);
	dt_agg_bucket(l, o, drop);
}

/* ---- compiling ---- */

/*
 * lquantize(value, base, limit [, step [, increment]]). The limit is rounded down to a whole number of steps,
 * which must be at least one and fit 16 bits.
 */
static void lquantize_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *agg,
    struct dt_node *call)
{
	int64_t base, limit, step = 1, levels;
	const struct dt_ident *old = dt_agg_earlier(s, row, agg);
	uint64_t arg;

	dt_act_args(s, call, false);
	dt_agg_nargs(s, row, call, 3, 5);
	base = dt_agg_parameter(s, row, call,
	    (struct dt_aggparam){ 1, "base", INT32_MIN, INT32_MAX, D_LQUANT_BASETYPE, D_LQUANT_BASEVAL });
	limit = dt_agg_parameter(s, row, call,
	    (struct dt_aggparam){ 2, "limit", INT32_MIN, INT32_MAX, D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL });
	if (limit <= base)
		dt_fail(s->diag, D_LQUANT_MISMATCH, call->loc,
		    "lquantize( ) base (%lld) must be less than its limit (%lld)", (long long)base,
		    (long long)limit);
	if (dt_agg_nth(call, 3) != NULL)
		step = dt_agg_parameter(s, row, call,
		    (struct dt_aggparam){ 3, "step", 1, UINT16_MAX, D_LQUANT_STEPTYPE, D_LQUANT_STEPVAL });
	levels = (limit - base) / step;
	if (levels == 0)
		dt_fail(s->diag, D_LQUANT_STEPLARGE, call->loc,
		    "lquantize( ) step (%lld) is larger than its range", (long long)step);
	if (levels > UINT16_MAX)
		dt_fail(s->diag, D_LQUANT_STEPSMALL, call->loc,
		    "lquantize( ) step is too small: %lld levels, at most %d", (long long)levels, UINT16_MAX);
	arg = (uint64_t)step << 48 | (uint64_t)levels << 32 | (uint32_t)base;
	if (old != NULL) {
		dt_agg_same(s, call, 1, "base", base, (int32_t)old->aggarg, D_LQUANT_MATCHBASE);
		dt_agg_same(s, call, 2, "limit", base + levels * step,
		    (int32_t)old->aggarg +
			(int64_t)(old->aggarg >> 32 & 0xffff) * (int64_t)(old->aggarg >> 48),
		    D_LQUANT_MATCHLIM);
		dt_agg_same(s, call, 3, "step", step, (int64_t)(old->aggarg >> 48), D_LQUANT_MATCHSTEP);
	}
	dt_agg_use(s, row, agg, call, dt_agg_argument(s, row, call, 0, D_AGG_SCALAR),
	    dt_agg_argument(s, row, call, 4, D_PROTO_ARG), arg);
}

/* ---- for those who print ---- */

static int64_t bucket_bound(const struct dt_buckets *b, uint32_t i, enum dt_bucket_label *label)
{
	*label = dt_lquantize_label(b->arg, i);
	return dt_lquantize_value(b->arg, i);
}

/* The bucket that begins at 0, or the outermost one if it stands for 0; n: none does. */
static void buckets_open(struct dt_buckets *b)
{
	while (b->zero < b->n && dt_buckets_value(b, b->zero) != 0)
		b->zero++;
	b->empty = 1;
}

static struct dt_bucket_bounds bucket_bounds(const struct dt_buckets *b, uint32_t i, int64_t v)
{
	return (struct dt_bucket_bounds){ true, true, v, dt_lquantize_value(b->arg, i + 1) - 1 };
}

static const struct dt_bucketing bucketing = { dt_lquantize_nbuckets, buckets_open, bucket_bound,
	bucket_bounds, DT_PACK_ALL };

static bool good_parameters(uint64_t arg) { return arg >> 48 && (arg >> 32 & 0xffff); }	/* step and levels */

const struct dt_aggfunc dt_aggfunc_lquantize = {
	.names = DT_AGG_NAME("lquantize", DT_ACT_LQUANTIZE, "void(int64_t, int, int, [int], [int64_t])",
	    DT_VERS(1, 0, 0), lquantize_compile, "a histogram of equal steps between two limits"),
	.good = good_parameters,
	.nwords = dt_lquantize_nbuckets,
	.init = lquantize_init,
	.add = lquantize_add,
	.merge = lquantize_merge,
	.lower = lquantize_lower,
	.seen = DT_SEEN_EXTRA,
	.buckets = &bucketing,
	.compare = dt_agg_cmp_buckets,
	.text = dt_hist_print,
	.json = dt_agg_buckets_json,
};
