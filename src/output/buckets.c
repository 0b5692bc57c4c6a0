/* SPDX-License-Identifier: BSD-2-Clause */
/* Buckets with their labels, for those who print; the arithmetic is that of the aggregating functions. */
#include "output/buckets.h"

#include "value/aggfunc.h"

#include <inttypes.h>
#include <stdio.h>

/* Data without negative values keep the historic picture, which begins at the middle bucket. */
static void hide_negative(struct dt_buckets *b)
{
	uint32_t middle = dt_llquantize_positive(b->arg) + 1;

	b->zero = middle;
	for (uint32_t i = 0; i < middle; i++)
		if (b->count[i])
			return;
	b->hidden = middle;
	b->count += middle;
	b->n -= middle;
	b->zero = 0;
}

/* The bucket that begins at 0, or the outermost one when it stands for 0; n: none does. */
static uint32_t linear_zero(const struct dt_buckets *b)
{
	uint32_t i = 0;

	while (i < b->n && dt_buckets_value(b, i) != 0)
		i++;
	return i;
}

bool dt_buckets_open(struct dt_buckets *b, const struct dt_value *v)
{
	*b = (struct dt_buckets){ .kind = v->aggkind, .arg = v->aggarg, .count = v->words };
	switch (v->aggkind) {
	case DT_ACT_QUANTIZE:
		b->n = dt_quantize_nbuckets();
		b->zero = DT_QUANTIZE_ZERO;
		break;
	case DT_ACT_LQUANTIZE: b->n = dt_lquantize_nbuckets(v->aggarg); break;
	case DT_ACT_LLQUANTIZE: b->n = dt_llquantize_nbuckets(v->aggarg); break;
	}
	if (b->n < 3 || v->nwords < b->n)
		return false;
	if (v->aggkind == DT_ACT_LQUANTIZE)
		b->zero = linear_zero(b);
	if (v->aggkind == DT_ACT_LLQUANTIZE)
		hide_negative(b);
	return true;
}

static int64_t bound(const struct dt_buckets *b, uint32_t i, enum dt_bucket_label *label)
{
	*label = DT_BL_VALUE;
	if (b->kind == DT_ACT_QUANTIZE)
		return dt_quantize_value(i);
	if (b->kind == DT_ACT_LQUANTIZE) {
		*label = dt_lquantize_label(b->arg, i);
		return dt_lquantize_value(b->arg, i);
	}
	*label = dt_llquantize_label(b->arg, i + b->hidden);
	return dt_llquantize_value(b->arg, i + b->hidden);
}

void dt_buckets_label(const struct dt_buckets *b, uint32_t i, char *buf, size_t len)
{
	static const char *const before[] = {
		[DT_BL_VALUE] = "", [DT_BL_LESS] = "< ", [DT_BL_GE] = ">= ", [DT_BL_LE] = "<= ", [DT_BL_ABS] = "abs() < ",
	};
	enum dt_bucket_label label;
	int64_t value = bound(b, i, &label);

	if (label == DT_BL_ABS && b->hidden)
		label = DT_BL_LESS;
	else if (label == DT_BL_ABS && value == 1) {
		label = DT_BL_VALUE;
		value = 0;
	}
	snprintf(buf, len, "%s%" PRId64, before[label], value);
}

static struct dt_bucket_bounds quantize_bounds(uint32_t i, uint32_t n)
{
	int64_t v = dt_quantize_value(i);

	if (v == 0)
		return (struct dt_bucket_bounds){ true, true, 0, 0 };
	if (v > 0)
		return (struct dt_bucket_bounds){ true, i + 1 < n, v, i + 1 < n ? 2 * v - 1 : 0 };
	return (struct dt_bucket_bounds){ i > 0, true, i > 0 ? 2 * v + 1 : 0, v };
}

/* A bucket of llquantize reaches from its value to the next one away from 0. */
static struct dt_bucket_bounds side_bounds(uint64_t arg, uint32_t i, int64_t v)
{
	if (v >= 0)
		return (struct dt_bucket_bounds){ true, true, v, dt_llquantize_value(arg, i + 1) - 1 };
	return (struct dt_bucket_bounds){ true, true, dt_llquantize_value(arg, i - 1) + 1, v };
}

struct dt_bucket_bounds dt_buckets_bounds(const struct dt_buckets *b, uint32_t i)
{
	enum dt_bucket_label label;
	int64_t v = bound(b, i, &label);

	if (b->kind == DT_ACT_QUANTIZE)
		return quantize_bounds(i, b->n);
	switch (label) {
	case DT_BL_LESS: return (struct dt_bucket_bounds){ .has_max = true, .max = v - 1 };
	case DT_BL_LE: return (struct dt_bucket_bounds){ .has_max = true, .max = v };
	case DT_BL_GE: return (struct dt_bucket_bounds){ .has_min = true, .min = v };
	case DT_BL_ABS: return (struct dt_bucket_bounds){ true, true, 1 - v, v - 1 };
	case DT_BL_VALUE: break;
	}
	if (b->kind == DT_ACT_LQUANTIZE)
		return (struct dt_bucket_bounds){ true, true, v, dt_lquantize_value(b->arg, i + 1) - 1 };
	return side_bounds(b->arg, i + b->hidden, v);
}

/* What lies outside of the bounds counts as one beyond them. */
long double dt_buckets_value(const struct dt_buckets *b, uint32_t i)
{
	enum dt_bucket_label label;
	int64_t value = bound(b, i, &label);

	if (label == DT_BL_ABS)
		return b->hidden ? (long double)value - 1 : 0;
	return (long double)value - (label == DT_BL_LESS) + (label == DT_BL_GE) - (label == DT_BL_LE);
}

void dt_buckets_range(const struct dt_buckets *b, uint32_t *first, uint32_t *last)
{
	for (*first = 0; *first < b->n && b->count[*first] == 0; ++*first)
		;
	if (*first == b->n)
		return;
	for (*last = b->n - 1; b->count[*last] == 0; --*last)
		;
}

void dt_buckets_shown(const struct dt_buckets *b, uint32_t *from, uint32_t *to)
{
	uint32_t first, last;

	dt_buckets_range(b, &first, &last);
	if (first == b->n) {
		/* quantize shows the neighbours of 0, the others their beginning */
		first = last = b->kind == DT_ACT_LQUANTIZE ? 1 : b->zero;
	}
	*from = first > 0 ? first - 1 : 0;
	*to = last + 1 < b->n ? last + 1 : b->n - 1;
}
