/* SPDX-License-Identifier: BSD-2-Clause */
/* Bucket numbers to labels and values. The parameter words are encoded as DIF has them: see doc/DIF.md. */
#include "output/buckets.h"

#include "dif/dif.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUANTIZE_BUCKETS = 127, QUANTIZE_ZERO = 63 };

static int64_t quantize_bound(uint32_t i)
{
	if (i < QUANTIZE_ZERO)
		return -(int64_t)(1ull << (QUANTIZE_ZERO - 1 - i));
	return i == QUANTIZE_ZERO ? 0 : (int64_t)(1ull << (i - QUANTIZE_ZERO - 1));
}

static bool open_quantize(struct dt_buckets *b, const struct dt_value *v)
{
	if (v->nwords < QUANTIZE_BUCKETS)
		return false;
	b->count = v->words;
	b->n = QUANTIZE_BUCKETS;
	b->zero = QUANTIZE_ZERO;
	return true;
}

/* step << 48 | levels << 32 | base; a word with the parameters may stand before the counts */
static bool open_lquantize(struct dt_buckets *b, const struct dt_value *v)
{
	uint32_t levels = v->aggarg >> 32 & 0xffff;
	uint32_t head = v->nwords == levels + 3;

	b->step = (int64_t)(v->aggarg >> 48);
	b->base = (int32_t)(v->aggarg & 0xffffffff);
	b->n = levels + 2;
	if (v->nwords < b->n + head)
		return false;
	b->count = v->words + head;
	return true;
}

/* Lower bounds of the buckets from factor^low, linear inside each order of magnitude; the last is the limit. */
static bool llquantize_bounds(struct dt_buckets *b, uint64_t arg, uint32_t max)
{
	uint64_t factor = arg >> 48, low = arg >> 32 & 0xffff, high = arg >> 16 & 0xffff, nsteps = arg & 0xffff;
	uint64_t from = 1, limit = INT64_MAX / (factor ? factor : 1);

	if (factor < 2 || nsteps == 0 || low > high || high > 63)
		return false;
	b->bound = malloc(((size_t)max + 1) * sizeof(*b->bound));
	if (!b->bound)
		return false;
	for (uint64_t order = 0; order <= high; order++, from *= factor) {
		if (from > limit)
			return false;
		uint64_t next = from * factor, step = next > nsteps ? next / nsteps : 1;
		for (uint64_t at = from; order >= low && at < next; at = (at / step + 1) * step) {
			if (b->nbound >= max)
				return false;
			b->bound[b->nbound++] = (int64_t)at;
		}
	}
	b->bound[b->nbound] = (int64_t)from;
	return true;
}

/* Below, the bounds, above; and when there is room for it the negative mirror image before that. */
static bool open_llquantize(struct dt_buckets *b, const struct dt_value *v)
{
	uint32_t head;

	if (!llquantize_bounds(b, v->aggarg, v->nwords))
		return false;
	b->mirrored = v->nwords >= 2 * b->nbound + 3;
	b->n = b->mirrored ? 2 * b->nbound + 3 : b->nbound + 2;
	head = v->nwords == b->n + 1;
	if (v->nwords < b->n + head)
		return false;
	b->count = v->words + head;
	b->zero = b->mirrored ? b->nbound + 1 : 0;
	for (uint32_t i = 0; i < b->zero; i++)
		b->negative |= b->count[i] != 0;
	/* the historic picture of data without negative values */
	if (b->mirrored && !b->negative) {
		b->count += b->zero;
		b->n -= b->zero;
		b->zero = 0;
		b->mirrored = false;
	}
	return true;
}

bool dt_buckets_open(struct dt_buckets *b, const struct dt_value *v)
{
	bool good = false;

	*b = (struct dt_buckets){ .kind = v->aggkind };
	if (v->aggkind == DT_ACT_QUANTIZE)
		good = open_quantize(b, v);
	else if (v->aggkind == DT_ACT_LQUANTIZE)
		good = open_lquantize(b, v);
	else if (v->aggkind == DT_ACT_LLQUANTIZE)
		good = open_llquantize(b, v);
	if (!good)
		dt_buckets_close(b);
	return good;
}

void dt_buckets_close(struct dt_buckets *b)
{
	free(b->bound);
	b->bound = NULL;
	b->n = 0;
}

/* ---- labels ---- */

static void lquantize_label(const struct dt_buckets *b, uint32_t i, char *buf, size_t len)
{
	if (i == 0)
		snprintf(buf, len, "< %" PRId64, b->base);
	else if (i == b->n - 1)
		snprintf(buf, len, ">= %" PRId64, b->base + (int64_t)(i - 1) * b->step);
	else
		snprintf(buf, len, "%" PRId64, b->base + (int64_t)(i - 1) * b->step);
}

static void llquantize_label(const struct dt_buckets *b, uint32_t i, char *buf, size_t len)
{
	if (i > b->zero)
		snprintf(buf, len, i == b->n - 1 ? ">= %" PRId64 : "%" PRId64, b->bound[i - b->zero - 1]);
	else if (i < b->zero)
		snprintf(buf, len, i == 0 ? "<= %" PRId64 : "%" PRId64, -b->bound[b->zero - 1 - i]);
	else if (!b->mirrored)
		snprintf(buf, len, "< %" PRId64, b->bound[0]);
	else if (b->bound[0] == 1)
		snprintf(buf, len, "0");
	else
		snprintf(buf, len, "abs() < %" PRId64, b->bound[0]);
}

void dt_buckets_label(const struct dt_buckets *b, uint32_t i, char *buf, size_t len)
{
	if (b->kind == DT_ACT_QUANTIZE)
		snprintf(buf, len, "%" PRId64, quantize_bound(i));
	else if (b->kind == DT_ACT_LQUANTIZE)
		lquantize_label(b, i, buf, len);
	else
		llquantize_label(b, i, buf, len);
}

/* ---- values ---- */

static long double llquantize_value(const struct dt_buckets *b, uint32_t i)
{
	if (i > b->zero)
		return (long double)b->bound[i - b->zero - 1];
	if (i < b->zero)
		return -(long double)b->bound[b->zero - 1 - i];
	return b->mirrored ? 0 : (long double)b->bound[0] - 1;
}

long double dt_buckets_value(const struct dt_buckets *b, uint32_t i)
{
	if (b->kind == DT_ACT_QUANTIZE)
		return (long double)quantize_bound(i);
	if (b->kind == DT_ACT_LLQUANTIZE)
		return llquantize_value(b, i);
	if (i == 0)
		return (long double)b->base - 1;
	return (long double)b->base + (long double)(i - 1) * (long double)b->step + (i == b->n - 1);
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
		first = last = b->kind == DT_ACT_LLQUANTIZE ? b->zero : b->kind == DT_ACT_QUANTIZE ? b->zero : 1;
		if (last >= b->n)
			first = last = b->n - 1;
	}
	*from = first > 0 ? first - 1 : 0;
	*to = last + 1 < b->n ? last + 1 : b->n - 1;
}
