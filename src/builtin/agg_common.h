/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of aggregating functions share. Each function is a struct dt_aggfunc (dif/action.h) in the
 * file that says what its data are, agg_*.c; agg_common.c has what the compiler does for all of them.
 *
 * The data of an element are 64-bit words, whose number and meaning each file gives in its head. _init, _add
 * and _merge define them; merging must not depend on the order, as CPUs and snapshots come in any. _lower
 * does what _add does, to the words of one CPU, which begin as zeros; where _init begins with something else,
 * _decode turns one into the other. All arithmetic wraps.
 */
#ifndef DT_BUILTIN_AGG_COMMON_H
#define DT_BUILTIN_AGG_COMMON_H

#include "dif/action.h"
#include "output/buckets.h"
#include "sema/sema.h"

/* A row's array of names, which has one. */
#define DT_AGG_NAME(n, i, p, v, f, d) (const struct dt_builtin[]) { { .name = n, .kind = DT_BI_AGGFUNC, \
	.id = i, .proto = p, \
	.attr = DT_ATTR_STABLE_COMMON, .version = v, .aggregate = f, .doc = d }, { 0 } }

/* ---- compiling a use (agg_common.c) ---- */

/* Makes the tuple and the action; value and incr may be NULL; arg is the encoded parameter word. */
void dt_agg_use(struct dt_sema *, const struct dt_builtin *, struct dt_node *target, struct dt_node *call,
    struct dt_node *value, struct dt_node *incr, uint64_t arg);
/* A function of one value; of a value and an increment that may be left out. Both without parameters. */
void dt_agg_compile_value(struct dt_sema *, const struct dt_builtin *, struct dt_node *agg,
    struct dt_node *call);
void dt_agg_compile_incr(struct dt_sema *, const struct dt_builtin *, struct dt_node *agg,
    struct dt_node *call);

/* Refuses a call with fewer or more arguments, in the historic words. */
void dt_agg_nargs(struct dt_sema *, const struct dt_builtin *, const struct dt_node *call, unsigned least,
    unsigned most);
/* Argument n of the call, from 0; NULL if there are fewer. */
struct dt_node *dt_agg_nth(const struct dt_node *call, unsigned n);
/* Argument n as a value to be aggregated, all 64 bits of it; NULL: it was left out. */
struct dt_node *dt_agg_argument(struct dt_sema *, const struct dt_builtin *, struct dt_node *call, unsigned n,
    enum dt_tag);

/* A constant parameter within [least, most]. */
struct dt_aggparam { unsigned n; const char *what; int64_t least, most; enum dt_tag type, value; };
int64_t dt_agg_parameter(struct dt_sema *, const struct dt_builtin *, const struct dt_node *call,
    struct dt_aggparam);
/* The aggregation, where it was used before; parameters have to be what they were. */
const struct dt_ident *dt_agg_earlier(struct dt_sema *, const struct dt_builtin *,
    const struct dt_node *target);
void dt_agg_same(struct dt_sema *, const struct dt_node *call, unsigned n, const char *what, int64_t now,
    int64_t before, enum dt_tag);

/* ---- data ---- */

/* Signed overflow is undefined in C and defined in D: additions go through unsigned. */
static inline int64_t dt_wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline void dt_words_zero(int64_t *data, uint32_t n) { memset(data, 0, n * sizeof(*data)); }

static inline void dt_words_add(int64_t *data, const int64_t *other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		data[i] = dt_wrap_add(data[i], other[i]);
}

/* Sums of 128 bits in two words, which are added up by value or merged; and what the kernel does for add. */
void dt_wide_add(int64_t *low, int64_t *high, int64_t value);
void dt_wide_merge(int64_t *low, int64_t *high, int64_t other_low, int64_t other_high);
void dt_wide_lower(struct dt_lower *, int low, int high);	/* words; r1, r2 and r3 change */

/* ---- for tests: number of buckets, where a value falls, a bucket's value and label ---- */

/* Results of avg and stddev, of all their words; normal is the divisor, 0 means 1. */
int64_t dt_avg_value(const int64_t *data, int64_t normal);
uint64_t dt_stddev_value(const int64_t *data, int64_t normal);

#define DT_QUANTIZE_ZERO 63		/* quantize: the bucket of 0 */
uint32_t dt_quantize_nbuckets(void);
uint32_t dt_quantize_bucket(int64_t value);
int64_t dt_quantize_value(uint32_t i);

/* lquantize's arg is step << 48 | levels << 32 | (uint32_t)base. Bad ones: 0 buckets. */
uint32_t dt_lquantize_nbuckets(uint64_t arg);
uint32_t dt_lquantize_bucket(uint64_t arg, int64_t value);
int64_t dt_lquantize_value(uint64_t arg, uint32_t i);
enum dt_bucket_label dt_lquantize_label(uint64_t arg, uint32_t i);

/* llquantize's arg is factor << 48 | low << 32 | high << 16 | nsteps. Bad ones: 0 buckets. */
uint32_t dt_llquantize_nbuckets(uint64_t arg);
uint32_t dt_llquantize_positive(uint64_t arg);	/* buckets on one side, without the outermost */
uint32_t dt_llquantize_bucket(uint64_t arg, int64_t value);
int64_t dt_llquantize_value(uint64_t arg, uint32_t i);	/* of 2^63: INT64_MAX */
enum dt_bucket_label dt_llquantize_label(uint64_t arg, uint32_t i);

#endif
