/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/consume: the aggregations of a consumer. */
#ifndef DT_CONSUME_STATE_H
#define DT_CONSUME_STATE_H

#include "consume/consumer.h"
#include "engine/engine.h"

/* One aggregation and the index of its keys. `agg` comes first: a pointer to it is cast back. */
struct dt_agg_table {
	struct dt_agg agg;
	uint32_t cap;			/* of agg.elem */
	uint32_t *bucket;		/* element index + 1 */
	uint32_t nbuckets;
};

struct dt_aggs {
	const struct dt_layouts *layouts;
	struct dt_agg_table *table;	/* by the index of its layout */
	struct dt_agg_table *since;	/* what was added since dt_consumer_since(); NULL: not wanted */
	uint32_t n;
	const struct dt_consumer_ops *ops;
	uint32_t ncpus;			/* of the values by CPU that elements keep; 0: none */
	int64_t *words;			/* room for one set of words */
	uint8_t *folded;		/* room for a key */
	/*
	 * generations: all up to `applied` are in the tables; those up to `taken` are held where they are
	 * not
	 */
	uint64_t applied;
	struct dt_taken taken;
	bool keeps;			/* records of printa() are read while tracing, in the order of time */
	bool wait;
	struct held **held;
	uint64_t nheld;
};

struct dt_agg_table *dt_agg_tables_new(const struct dt_layouts *);
void dt_agg_tables_free(struct dt_agg_table *, uint32_t n);
int dt_aggs_init(struct dt_aggs *, const struct dt_layouts *);
void dt_aggs_free(struct dt_aggs *);
struct dt_aggs *dt_consumer_aggs(struct dt_consumer *);
struct dt_engine *dt_consumer_engine(struct dt_consumer *);
/* Takes over what was added up to now; what is not older than a moment that may be read yet waits. */
int dt_consumer_take(struct dt_consumer *, uint64_t *gen, uint64_t *time);
int dt_consumer_moment(struct dt_consumer *, uint64_t moment);	/* a record means this generation */
/* Whether records may mean generations that are not merged yet. */
bool dt_consumer_moments(struct dt_consumer *);

/*
 * spec.c: speculative records wait until the end of their speculation is known; those that arrive later
 * follow at once.
 */
typedef int dt_spec_f(void *ctx, const void *rec, size_t len);
struct dt_spec;
/* An end that has no record: it comes after all records up to that time. */
struct dt_spec_note { uint64_t time, word; uint32_t id; };
/* spec: by number - 1; lost: records that arrived after their end was forgotten, or had no memory */
struct dt_specs {
	struct dt_spec *spec;
	uint32_t n;
	uint64_t lost;
	struct dt_spec_note *notes;	/* by time, [firstnote, nnotes) */
	size_t firstnote, nnotes, notecap;
};
int dt_specs_keep(struct dt_specs *, uint32_t id, uint64_t word, const void *rec, size_t len, dt_spec_f *emit,
    void *ctx);
int dt_specs_end(struct dt_specs *, uint32_t id, uint64_t word, bool commit, dt_spec_f *emit, void *ctx);
/* Room for that many dt_specs_note(), which cannot fail then. 0 or -ENOMEM. */
int dt_specs_room(struct dt_specs *, uint32_t n);
void dt_specs_note(struct dt_specs *, uint32_t id, uint64_t word, uint64_t time);
/* Ends what was noted before that time: every record up to then was handed on. */
int dt_specs_before(struct dt_specs *, uint64_t time, dt_spec_f *emit, void *ctx);
void dt_specs_free(struct dt_specs *);

#endif
