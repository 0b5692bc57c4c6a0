/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * llquantize(): orders of magnitude, each cut into equal steps. It has 2 n + 3 buckets, symmetric around the
 * middle one, with n = dt_llquantize_positive():
 *
 *	0		at or below -limit
 *	1 … n		negative, the least first
 *	n + 1		nearer to 0 than factor^low
 *	n + 2 … 2n + 1	positive
 *	2n + 2		at or above the limit, factor^(high + 1)
 *
 * The parameters come from programs and from saved files: llq_of() says whether they are usable, and nothing
 * else computes with those that are not.
 */
#include "bpf/field.h"
#include "bpf/image.h"
#include "builtin/agg_common.h"
#include "output/json.h"

/* The parameters, decoded. Unless `good`, the other members must not be used. */
struct llq { uint64_t factor, low, high, nsteps; bool good; };

/* One order of magnitude, from `from` up to but not including `to`. Buckets end at multiples of the step. */
struct order { uint64_t from, to, step; uint32_t n; };

/* Good parameters: factor^(high + 1) fits 64 bits, which also bounds the number of buckets. */
static struct llq llq_of(uint64_t arg)
{
	struct llq q = { .factor = arg >> 48,
		.low = arg >> 32 & 0xffff,
		.high = arg >> 16 & 0xffff,
		.nsteps = arg & 0xffff };
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

/* Cannot overflow for exponents up to high + 1 of good parameters. */
static uint64_t power_of(uint64_t factor, uint64_t exponent)
{
	uint64_t power = 1;

	while (exponent--)
		power *= factor;
	return power;
}

/* When an order has fewer numbers than steps, each number is a bucket of its own. */
static struct order order_of(const struct llq *q, uint64_t from)
{
	struct order o = { .from = from, .to = from * q->factor };

	o.step = o.to > q->nsteps ? o.to / q->nsteps : 1;
	o.n = (uint32_t)((o.to - 1) / o.step - o.from / o.step + 1);
	return o;
}

/* Steps through the orders; o->from 0 starts. False: there are no more. */
static bool order_next(const struct llq *q, uint64_t *exponent, struct order *o)
{
	*exponent = o->from ? *exponent + 1 : q->low;
	if (*exponent > q->high)
		return false;
	*o = order_of(q, o->from ? o->to : power_of(q->factor, q->low));
	return true;
}

/* n of the head comment; 0 for parameters that are not good. */
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

uint32_t dt_llquantize_nbuckets(uint64_t arg)
{
	return llq_of(arg).good ? 2 * dt_llquantize_positive(arg) + 3 : 0;
}

/* How many buckets a value of this size is away from the middle one; n + 1 beyond the last order. */
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

/* -(uint64_t) gives the size of INT64_MIN too. */
uint32_t dt_llquantize_bucket(uint64_t arg, int64_t value)
{
	struct llq q = llq_of(arg);
	uint32_t middle = dt_llquantize_positive(arg) + 1, d;

	if (!q.good)
		return 0;
	d = llq_distance(&q, value < 0 ? -(uint64_t)value : (uint64_t)value);
	return value < 0 ? middle - d : middle + d;
}

/* The smallest size that is d buckets from the middle; d 0: where the middle one ends. */
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

/* Sizes beyond the range of a signed number are its limits. */
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

/* How a bucket is named: the outermost are open, the middle one is "abs() <". */
enum dt_bucket_label dt_llquantize_label(uint64_t arg, uint32_t i)
{
	uint32_t n = dt_llquantize_positive(arg);

	if (i == n + 1)
		return DT_BL_ABS;
	if (i == 0)
		return DT_BL_LE;
	return i > 2 * n + 1 ? DT_BL_GE : DT_BL_VALUE;
}

static void llquantize_init(int64_t *data, uint64_t arg) { dt_words_zero(data, dt_llquantize_nbuckets(arg)); }

/* Parameters that are not good have no buckets, so nothing is written. */
static void llquantize_add(int64_t *data, uint64_t arg, int64_t value, int64_t incr)
{
	if (llq_of(arg).good) {
		int64_t *bucket = &data[dt_llquantize_bucket(arg, value)];

		*bucket = dt_wrap_add(*bucket, incr);
	}
}

static void llquantize_merge(int64_t *data, uint64_t arg, const int64_t *other)
{
	dt_words_add(data, other, dt_llquantize_nbuckets(arg));
}

/* ---- in the kernel ---- */

/*
 * The same steps as llq_distance(), unrolled: R1 the size, R2 the distance from the middle. `n` counts the
 * buckets of the orders before; at the end it is dt_llquantize_positive().
 */
static void llquantize_lower(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	struct dt_emit *a = dt_code(l);
	uint64_t factor = o->arg >> 48, low = o->arg >> 32 & 0xffff, high = o->arg >> 16 & 0xffff,
		 nsteps = o->arg & 0xffff;
	uint32_t have = dt_label(a), pos = dt_label(a), put = dt_label(a), n = 0;
	uint64_t from = 1;

	for (uint64_t i = 0; i < low; i++)
		from *= factor;
	dt_agg_value_get(l, R1);
	dt_jmpi(a, BPF_JSGE, R1, 0, pos);
	dt_neg(a, R1);
	dt_put(a, pos);
	dt_imm(a, R2, 0);
	dt_imm(a, R3, from);
	dt_jmp(a, BPF_JLT, R1, R3, have);
	for (uint64_t e = low; e <= high; e++, from *= factor) {
		uint64_t to = from * factor, step = to > nsteps ? to / nsteps : 1;
		uint32_t next = dt_label(a);

		dt_imm(a, R3, to);
		dt_jmp(a, BPF_JGE, R1, R3, next);
		dt_mov(a, R2, R1);
		dt_imm(a, R3, step);
		dt_alu(a, BPF_DIV, R2, R3);
		dt_imm(a, R3, n + 1 - from / step);
		dt_alu(a, BPF_ADD, R2, R3);
		dt_ja(a, have);
		dt_put(a, next);
		n += (uint32_t)((to - 1) / step - from / step + 1);
	}
	dt_imm(a, R2, n + 1);
	dt_put(a, have);
	dt_agg_value_get(l, R1);
	dt_jmpi(a, BPF_JSGE, R1, 0, put);
	dt_neg(a, R2);
	dt_put(a, put);
	dt_alui(a, BPF_ADD, R2, (int32_t)n + 1);
	dt_agg_bucket(l, o, drop);
}

/* ---- compiling ---- */

/* The parameters as the program gives them, before they are checked. */
struct given { int64_t factor, low, high, nsteps; };

/* The steps must split every order of magnitude evenly, and the highest one must fit 63 bits. */
static void check_llq(struct dt_sema *s, const struct dt_node *call, const struct given *q)
{
	int64_t power = 1, order = q->factor;

	if (q->factor < 2)
		dt_fail(s->diag, D_LLQUANT_FACTORSMALL, call->loc,
		    "llquantize( ) factor (%lld) must be 2 or more", (long long)q->factor);
	if (q->high < q->low)
		dt_fail(s->diag, D_LLQUANT_MAGRANGE, call->loc,
		    "llquantize( ) high magnitude (%lld) is below the low one (%lld)", (long long)q->high,
		    (long long)q->low);
	if (q->nsteps < q->factor && q->factor % q->nsteps != 0)
		dt_fail(s->diag, D_LLQUANT_FACTORNSTEPS, call->loc,
		    "llquantize( ) steps (%lld) must be a multiple or a divisor of the factor (%lld)",
		    (long long)q->nsteps, (long long)q->factor);
	while (order < q->nsteps)
		order *= q->factor;
	if ((q->nsteps >= q->factor && q->nsteps % q->factor != 0) || order % q->nsteps != 0)
		dt_fail(s->diag, D_LLQUANT_FACTOREVEN, call->loc,
		    "llquantize( ) steps (%lld) do not divide the powers of %lld evenly",
		    (long long)q->nsteps, (long long)q->factor);
	for (int64_t i = 0; i <= q->high; i++) {
		if (power > INT64_MAX / q->factor)
			dt_fail(s->diag, D_LLQUANT_MAGTOOBIG, call->loc,
			    "llquantize( ): %lld to the power of %lld does not fit 64 bits",
			    (long long)q->factor, (long long)q->high + 1);
		power *= q->factor;
	}
}

/* llquantize(value, factor, low, high, steps [, increment]); the parameters share one word (agg_common.h). */
static void llquantize_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *agg,
    struct dt_node *call)
{
	const struct dt_ident *old = dt_agg_earlier(s, row, agg);
	struct given q;
	uint64_t arg;

	dt_act_args(s, call, false);
	dt_agg_nargs(s, row, call, 5, 6);
	q.factor = dt_agg_parameter(s, row, call,
	    (struct dt_aggparam){ 1, "factor", 0, UINT16_MAX, D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL });
	q.low = dt_agg_parameter(s, row, call,
	    (struct dt_aggparam){ 2, "low magnitude", 0, UINT16_MAX, D_LLQUANT_LOWTYPE, D_LLQUANT_LOWVAL });
	q.high = dt_agg_parameter(s, row, call,
	    (struct dt_aggparam){
		3, "high magnitude", 0, UINT16_MAX, D_LLQUANT_HIGHTYPE, D_LLQUANT_HIGHVAL });
	q.nsteps = dt_agg_parameter(s, row, call,
	    (struct dt_aggparam){ 4, "steps", 1, UINT16_MAX, D_LLQUANT_NSTEPTYPE, D_LLQUANT_NSTEPVAL });
	check_llq(s, call, &q);
	arg = (uint64_t)q.factor << 48 | (uint64_t)q.low << 32 | (uint64_t)q.high << 16 | (uint64_t)q.nsteps;
	if (old != NULL) {
		dt_agg_same(s, call, 1, "factor", q.factor, (int64_t)(old->aggarg >> 48),
		    D_LLQUANT_FACTORMATCH);
		dt_agg_same(s, call, 2, "low magnitude", q.low, (int64_t)(old->aggarg >> 32 & 0xffff),
		    D_LLQUANT_LOWMATCH);
		dt_agg_same(s, call, 3, "high magnitude", q.high, (int64_t)(old->aggarg >> 16 & 0xffff),
		    D_LLQUANT_HIGHMATCH);
		dt_agg_same(s, call, 4, "steps", q.nsteps, (int64_t)(old->aggarg & 0xffff),
		    D_LLQUANT_NSTEPMATCH);
	}
	dt_agg_use(s, row, agg, call, dt_agg_argument(s, row, call, 0, D_AGG_SCALAR),
	    dt_agg_argument(s, row, call, 5, D_PROTO_ARG), arg);
}

/* ---- for those who print ---- */

/* Data without negative values keeps the historic picture, which begins at the middle bucket. */
static void buckets_open(struct dt_buckets *b)
{
	uint32_t middle = dt_llquantize_positive(b->arg) + 1;

	b->zero = b->empty = middle;
	for (uint32_t i = 0; i < middle; i++)
		if (b->count[i])
			return;
	b->hidden = middle;
	b->count += middle;
	b->n -= middle;
	b->zero = b->empty = 0;
}

static int64_t bucket_bound(const struct dt_buckets *b, uint32_t i, enum dt_bucket_label *label)
{
	*label = dt_llquantize_label(b->arg, i + b->hidden);
	return dt_llquantize_value(b->arg, i + b->hidden);
}

/* From its value to the next one away from 0. */
static struct dt_bucket_bounds bucket_bounds(const struct dt_buckets *b, uint32_t i, int64_t v)
{
	i += b->hidden;
	if (v >= 0)
		return (struct dt_bucket_bounds){ true, true, v, dt_llquantize_value(b->arg, i + 1) - 1 };
	return (struct dt_bucket_bounds){ true, true, dt_llquantize_value(b->arg, i - 1) + 1, v };
}

static const struct dt_bucketing bucketing = { dt_llquantize_nbuckets, buckets_open, bucket_bound,
	bucket_bounds, DT_PACK_NONE };

/* For parameters of a saved program; the compiler's own are always good. */
static bool good_parameters(uint64_t arg)
{
	uint64_t factor = arg >> 48, low = arg >> 32 & 0xffff, high = arg >> 16 & 0xffff,
		 steps = arg & 0xffff;
	uint64_t power = 1;

	if (factor < 2 || low > high || high > 63 || !steps)
		return false;
	for (uint64_t i = 0; i <= high; i++) {
		if (__builtin_mul_overflow(power, factor, &power))
			return false;
	}
	return steps % factor == 0 || factor % steps == 0;
}

const struct dt_aggfunc dt_aggfunc_llquantize = {
	.names = DT_AGG_NAME("llquantize", DT_ACT_LLQUANTIZE, "void(int64_t, int, int, int, int, [int64_t])",
	    DT_VERS(1, 7, 0), llquantize_compile, "a histogram of orders of magnitude, each in equal steps"),
	.good = good_parameters,
	.nwords = dt_llquantize_nbuckets,
	.init = llquantize_init,
	.add = llquantize_add,
	.merge = llquantize_merge,
	.lower = llquantize_lower,
	.seen = DT_SEEN_EXTRA,
	.buckets = &bucketing,
	.compare = dt_agg_cmp_buckets,
	.text = dt_hist_print,
	.json = dt_agg_buckets_json,
};
