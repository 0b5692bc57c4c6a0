/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buckets and their labels, for everybody who prints them. The arithmetic is in the rows of the
 * aggregating functions.
 */
#include "output/buckets.h"

#include "dif/action.h"
#include "output/unit.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * The words come from a record, and the parameters from a program that may be a file: fewer words than
 * the parameters ask for are refused here, once, so that no other code checks. A histogram has two
 * outermost buckets and at least one between them.
 */
bool dt_buckets_open(struct dt_buckets *b, const struct dt_value *v)
{
	const struct dt_bucketing *how = dt_aggfunc_of(v->aggkind)->buckets;

	*b = (struct dt_buckets){
		.how = how, .arg = v->aggarg, .unit = v->unit, .count = v->words,
		.n = how ? how->n(v->aggarg) : 0
	};
	if (b->n < 3 || v->nwords < b->n)
		return false;
	how->open(b);
	return true;
}

static int64_t bucket_bound(const struct dt_buckets *b, uint32_t i, enum dt_bucket_label *label)
{
	return b->how->bound(b, i, label);
}

/*
 * A bucket around 0 is labelled by the picture it is in: without negative buckets it is "< v" and not
 * "abs() < v", and the one that counts only 0 is "0".
 */
void dt_buckets_label(const struct dt_buckets *b, uint32_t i, char *buf, size_t len)
{
	static const char *const before[] = {
		[DT_BL_VALUE] = "",
		[DT_BL_LESS] = "< ",
		[DT_BL_GE] = ">= ",
		[DT_BL_LE] = "<= ",
		[DT_BL_ABS] = "abs() < ",
	};
	enum dt_bucket_label label;
	int64_t value = bucket_bound(b, i, &label);
	char number[DT_UNIT_TEXT];

	if (label == DT_BL_ABS && b->hidden)
		label = DT_BL_LESS;
	else if (label == DT_BL_ABS && value == 1) {
		label = DT_BL_VALUE;
		value = 0;
	}
	if (b->unit == DT_UNIT_NONE) {
		snprintf(buf, len, "%s%" PRId64, before[label], value);
		return;
	}
	dt_unit_text(b->unit, (long double)value, number);
	snprintf(buf, len, "%s%s", before[label], number);
}

/* The label says which ends a bucket has; only an inner bucket is a question for its function. */
struct dt_bucket_bounds dt_buckets_bounds(const struct dt_buckets *b, uint32_t i)
{
	enum dt_bucket_label label;
	int64_t v = bucket_bound(b, i, &label);

	switch (label) {
	case DT_BL_LESS: return (struct dt_bucket_bounds){ .has_max = true, .max = v - 1 };
	case DT_BL_LE: return (struct dt_bucket_bounds){ .has_max = true, .max = v };
	case DT_BL_GE: return (struct dt_bucket_bounds){ .has_min = true, .min = v };
	case DT_BL_ABS: return (struct dt_bucket_bounds){ true, true, 1 - v, v - 1 };
	case DT_BL_VALUE: break;
	}
	return b->how->bounds(b, i, v);
}

/* Numbers outside of the bounds count as one beyond them. */
long double dt_buckets_value(const struct dt_buckets *b, uint32_t i)
{
	enum dt_bucket_label label;
	int64_t value = bucket_bound(b, i, &label);

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
	if (first == b->n)
		first = last = b->empty;
	*from = first > 0 ? first - 1 : 0;
	*to = last + 1 < b->n ? last + 1 : b->n - 1;
}
