/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lowering offers to the rows of actions and of aggregating functions (dif/action.h), beside what it
 * offers to every row (bpf/lower.h). The code of an action leaves its bytes in a field of the record or of a
 * key; that of an aggregating function changes the words of an element.
 */
#ifndef DT_BPF_FIELD_H
#define DT_BPF_FIELD_H

#include "bpf/lower.h"
#include "dif/dif.h"

struct dt_agglayout;
struct dt_build;

/* ---- actions (field.c) ---- */

struct dt_actfield {
	int base, off;			/* a register, and how far from it the field begins */
	uint32_t size;			/* 0: nothing is recorded */
	bool pad;			/* of a key: all its bytes count, so zeros follow the NUL */
	/* a label: SKIPZ jumps there when its value is 0, EXIT when it is late (0: the clause is dropped) */
	uint32_t skip;
};

/* the size, or a refusal: too large for a record */
uint32_t dt_field_limit(struct dt_build *, const struct dt_act *, uint64_t size);
void dt_field_number(struct dt_lower *);			/* r0 = the value of the expression */
void dt_field_store(struct dt_lower *, int base, int off, uint32_t size);	/* r0 to base + off */
void dt_field_pid(struct dt_lower *, int base, int off);	/* the process's number there, 8 bytes */
void dt_field_bytes(struct dt_lower *, const struct dt_actfield *, bool user);	/* from the address in r0 */
/* A label where the clause ends and records nothing: history's CPU_DTRACE_DROP. */
uint32_t dt_drop_label(struct dt_lower *);

/* `size` and `lower` for rows that record the value by its type; that record nothing; that are refused. */
uint32_t dt_field_by_type_size(struct dt_build *, const struct dt_act *);
void dt_field_by_type(struct dt_lower *, const struct dt_act *, const struct dt_actfield *);
uint32_t dt_field_none_size(struct dt_build *, const struct dt_act *);
void dt_field_nothing(struct dt_lower *, const struct dt_act *, const struct dt_actfield *);
void dt_field_refused(struct dt_lower *, const struct dt_act *, const struct dt_actfield *);

/* r0 is the number of a speculation (speculation.c); its word is copied to offset `word` of the record. */
void dt_speculate(struct dt_lower *, int word, uint32_t drop);
void dt_spec_end(struct dt_lower *, bool commit);

/* ---- aggregating functions (aggregate.c): r0 points to the words and stays so ---- */

void dt_agg_value_get(struct dt_lower *, int dst);		/* the value that is aggregated */
/* adds the register; this and all below are atomic */
void dt_agg_add(struct dt_lower *, int word, int reg);
void dt_agg_add_one(struct dt_lower *, int word);		/* r1 changes */
/* r3 becomes the address of word r2, which changes; to `drop` if there is no such word. */
void dt_agg_word(struct dt_lower *, const struct dt_agglayout *, uint32_t drop);
/* adds the increment to word r2 */
void dt_agg_bucket(struct dt_lower *, const struct dt_agglayout *, uint32_t drop);
/*
 * The word becomes the value if that is less, or greater, than all before. Words begin as 0, so the word
 * holds a number that only grows, unsigned: INT64_MAX - v for the least, v with its sign bit turned for the
 * greatest. To `drop` when others change the word all the time. r1 to r3 and r5 change.
 */
void dt_agg_extreme(struct dt_lower *, int word, bool least, uint32_t drop);
static inline int64_t dt_agg_extreme_value(int64_t word, bool least)
{
	return least ? (int64_t)(INT64_MAX - (uint64_t)word) :
		       (int64_t)((uint64_t)word ^ (uint64_t)INT64_MIN);
}
/* r4 = the bits of r1, 0 for 0 and 63 for 2^63. r1 and r5 change. */
void dt_agg_bits(struct dt_lower *);

#endif
