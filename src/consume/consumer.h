/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers come in, events and values go out: records of all CPUs in time order, speculations committed
 * or discarded, drops counted, aggregations merged and sorted. The consumer knows nothing of BPF beyond
 * the layouts of what it writes. It is used by one thread.
 */
#ifndef DT_CONSUME_CONSUMER_H
#define DT_CONSUME_CONSUMER_H

#include "record/record.h"
#include "value/value.h"
#include "dif/dif.h"

struct dt_engine;
struct dt_consumer;

struct dt_event {			/* one firing of one clause */
	const struct dt_ecb *ecb;
	uint32_t epid, probe_id, cpu;
	uint64_t time;
	const uint8_t *data;		/* fields as in layout; valid during the call */
	const struct dt_reclayout *layout;
};

enum dt_dropkind { /* what was lost */
	DT_DROP_PRINCIPAL,
	DT_DROP_AGGREGATION,
	DT_DROP_AGGMEMORY, /* the same, for lack of memory at hand in a probe, not of aggsize */
	DT_DROP_MOMENT, /* printa(), clear(), trunc() that saw a later moment than their own */
	DT_DROP_DYNAMIC,
	DT_DROP_SPEC,
	DT_DROP_SPECBUSY,
	DT_DROP_SPECUNAVAIL,
	DT_DROP_SLOT, /* a firing nested in too many others */
	DT_DROP_NESTED, /* a firing that the kernel skipped because it was inside another */
	DT_DROP_SAMPLE, /* a sample of a process that was due and could not be taken */
	DT_DROP_DBLERROR,
	DT_NDROPS
};

/* Drops since the last report, on all CPUs together. */
struct dt_dropped {
	enum dt_dropkind kind;
	uint64_t n;
	uint32_t ncpus;			/* that dropped something; 0: the kind has no CPU */
	int cpu;			/* the one that did; -1: none, or several */
	uint64_t worst;			/* the most that one CPU has dropped since tracing began */
};

struct dt_consumer_ops {		/* called in order; a non-zero value ends the reading with it */
	void *ctx;
	int (*event)(void *ctx, const struct dt_event *);
	int (*fault)(void *ctx, const struct dt_recfault *);
	int (*drops)(void *ctx, const struct dt_dropped *);
	/*
	 * The address that stands for all of the same function or module; called for such keys of
	 * aggregations. NULL: keys stay as they are.
	 */
	uint64_t (*fold)(void *ctx, const struct dt_value *key);
	/*
	 * The probe that stands for all whose part (DT_PART_*) has the same text: keys that are such
	 * names are stored as the probe's id.
	 */
	uint32_t (*alike)(void *ctx, uint32_t probe, unsigned part);
	/*
	 * Replaces the bytes of a key that is a stack or an address by those of the first that is shown with
	 * the same text. NULL: each keeps its own.
	 */
	void (*merge)(void *ctx, const struct dt_value *key, void *bytes, uint32_t size);
	bool percpu;		/* elements of aggregations keep the values of each CPU too */
};

struct dt_consumer *dt_consumer_new(struct dt_engine *, const struct dt_layouts *,
    const struct dt_ecb *const *ecbs, uint32_t necbs, const struct dt_consumer_ops *);
/*
 * Adds clauses while it is working: the new layouts and clauses replace the old ones, which they begin
 * with. 0 or -ENOMEM.
 */
int dt_consumer_extend(struct dt_consumer *, const struct dt_layouts *, const struct dt_ecb *const *ecbs,
    uint32_t necbs);
void dt_consumer_free(struct dt_consumer *);
/* Empties the rings into memory; the records come with the next read */
int dt_consumer_hold(struct dt_consumer *);
/* Passes on what is in the rings; final: nothing more will come */
int dt_consumer_read(struct dt_consumer *, bool final);
/* Whether a reading is under way; and its end, if a jump left it: what it passed on counts as read. */
bool dt_consumer_reading(const struct dt_consumer *);
void dt_consumer_abandon(struct dt_consumer *);
/* All records up to now are in the rings: the next reading need not wait for any of them. */
void dt_consumer_complete(struct dt_consumer *);
/* For the event function: the epid of the next event on a CPU; 0: none is known yet. */
uint32_t dt_consumer_next(const struct dt_consumer *, uint32_t cpu);
/* merges the kernel's aggregations into ours */
int dt_consumer_snap(struct dt_consumer *);
/*
 * From now on what is merged is kept a second time, by itself: neither clear() nor trunc() changes that, and
 * the next call begins it anew. 0 or -ENOMEM. dt_consumer_swap() exchanges the two.
 */
int dt_consumer_since(struct dt_consumer *);
void dt_consumer_swap(struct dt_consumer *);
int dt_consumer_status(struct dt_consumer *);			/* reports drops since the last call */

/* ---- aggregations as the consumer keeps them; pointers are good until the next snapshot ---- */
struct dt_agg_elem {
	const struct dt_agglayout *layout;
	const uint8_t *key;
	int64_t *data;
	/* With ops.percpu: the words of each CPU, zeros while !cpu_seen[cpu]; else ncpus is 0 */
	int64_t *cpu_data;
	uint8_t *cpu_seen;
	uint32_t ncpus;
	int64_t normal;		/* of this element alone; 0: that of the aggregation */
	bool gone;		/* dt_agg_sweep() removes it */
};
struct dt_agg {
	const struct dt_agglayout *layout;
	int64_t normal;
	bool printed;
	struct dt_agg_elem **elem;
	uint32_t n;
};
struct dt_agg *dt_consumer_agg(struct dt_consumer *, uint32_t id);	/* by dt_aggvar.id; NULL none */
uint32_t dt_consumer_naggs(struct dt_consumer *);
struct dt_agg *dt_consumer_agg_at(struct dt_consumer *, uint32_t i);
void dt_agg_clear(struct dt_consumer *, struct dt_agg *);
void dt_agg_clear_elem(struct dt_agg_elem *);
void dt_agg_normal(struct dt_agg *, int64_t normal);	/* of all its elements */
int dt_agg_sweep(struct dt_agg *);	/* removes what is gone; 0 or -ENOMEM */
/*
 * Keeps the n largest by cmp, which must find no two equal (n < 0: the smallest, 0: none). 0 or
 * -ENOMEM.
 */
typedef int dt_agg_cmp_f(void *ctx, const struct dt_agg *, const struct dt_agg_elem *,
    const struct dt_agg_elem *);
int dt_agg_trunc(struct dt_agg *, int64_t n, dt_agg_cmp_f *cmp, void *ctx);
/* A key; one that is the name of a probe is given as the probe's id (layout->key_probe). */
void dt_agg_key(const struct dt_agg_elem *, uint32_t k, struct dt_value *);
void dt_agg_value(const struct dt_agg *, const struct dt_agg_elem *, struct dt_value *);

#endif
