/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings come in, events go out. Each read passes on, in time order, what is old enough that nothing
 * earlier can still arrive; the rest waits in the rings. Policies fill and ring are read at the end:
 * their records are copied and sorted at once. So is what the rings hold when tracing ends, which
 * leaves all their room to END. Speculative records wait under their number until it ends.
 */
#include "consume/consumer.h"
#include "consume/merge.h"
#include "consume/state.h"

#include "base/clock.h"
#include "base/count.h"
#include "dif/action.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A program whose predicate reads the clock can be this late with reserving its record; one that reads it
 * later is not (merge.c).
 */
#define SLACK_NS 2000000u

struct rec {				/* a copy of a record */
	uint64_t time;
	uint64_t seq;			/* order of arrival: equal times stay in order */
	size_t len;
	uint8_t data[];			/* struct dt_rechdr and the fields */
};

struct dt_consumer {
	struct dt_engine *engine;
	const struct dt_layouts *layouts;
	const struct dt_ecb *const *ecbs;	/* by epid - 1 */
	uint32_t necbs;
	struct dt_consumer_ops ops;
	struct dt_merge *merge;		/* the rings; policies fill and ring do not use it */
	struct rec **recs;		/* copies that wait, unsorted */
	size_t n, cap;
	size_t done;			/* while they are passed on: the first that was not */
	uint64_t seq;
	uint64_t complete;		/* all records up to this time have arrived */
	struct dt_specs specs;
	/* by CPU: what was reported already; after it room for the current values */
	struct dt_drops *seen;
	uint64_t missed;		/* the same for missed() of the engine */
	struct dt_aggs aggs;
	int err;
};

struct dt_aggs *dt_consumer_aggs(struct dt_consumer *c)
{
	return &c->aggs;
}

struct dt_engine *dt_consumer_engine(struct dt_consumer *c)
{
	return c->engine;
}

struct dt_consumer *dt_consumer_new(struct dt_engine *engine, const struct dt_layouts *layouts,
    const struct dt_ecb *const *ecbs, uint32_t necbs, const struct dt_consumer_ops *ops)
{
	struct dt_consumer *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->engine = engine;
	c->layouts = layouts;
	c->ecbs = ecbs;
	c->necbs = necbs;
	c->ops = *ops;
	c->seen = calloc(2 * engine->ops->ncpus(engine), sizeof(*c->seen));
	c->merge = dt_merge_new(engine);
	if (c->seen == NULL || c->merge == NULL || dt_aggs_init(&c->aggs, layouts) != 0) {
		dt_consumer_free(c);
		return NULL;
	}
	c->aggs.ops = &c->ops;
	c->aggs.keeps = layouts->policy == DT_POLICY_SWITCH;
	c->aggs.ncpus = c->ops.percpu ? engine->ops->ncpus(engine) : 0;
	return c;
}

/*
 * Probes that appear while tracing add clauses at the end, so an epid keeps its meaning. The arrays
 * belong to the caller and may have moved; records that wait keep only their epid.
 */
int dt_consumer_extend(struct dt_consumer *c, const struct dt_layouts *layouts,
    const struct dt_ecb *const *ecbs, uint32_t necbs)
{
	c->layouts = layouts;
	c->ecbs = ecbs;
	c->necbs = necbs;
	return 0;
}

void dt_consumer_free(struct dt_consumer *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->recs[i]);
	dt_specs_free(&c->specs);
	dt_aggs_free(&c->aggs);
	dt_merge_free(c->merge);
	free(c->recs);
	free(c->seen);
	free(c);
}

/* ---- what was added since ---- */

int dt_consumer_since(struct dt_consumer *c)
{
	struct dt_aggs *a = dt_consumer_aggs(c);
	struct dt_agg_table *t = dt_agg_tables_new(a->layouts);

	if (t == NULL)
		return -ENOMEM;
	dt_agg_tables_free(a->since, a->n);
	a->since = t;
	return 0;
}

void dt_consumer_swap(struct dt_consumer *c)
{
	struct dt_aggs *a = dt_consumer_aggs(c);
	struct dt_agg_table *t = a->table;

	for (uint32_t i = 0; i < a->n; i++)
		a->since[i].agg.normal = t[i].agg.normal;
	a->table = a->since;
	a->since = t;
}

/* ---- taking records ---- */

/* Copies a record out of a ring, whose memory is the kernel's again when the drain goes on. */
static int take_copy(void *ctx, const void *data, size_t len)
{
	struct dt_consumer *c = ctx;
	const struct dt_rechdr *h = data;
	struct rec *r;

	if (len < sizeof(*h))
		return 0;	/* not one of ours */
	if (c->n == c->cap) {
		size_t cap = c->cap != 0 ? c->cap * 2 : 256;
		struct rec **more = realloc(c->recs, cap * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		c->recs = more;
		c->cap = cap;
	}
	r = malloc(sizeof(*r) + len);
	if (r == NULL)
		return -ENOMEM;
	r->time = h->time;
	r->seq = c->seq++;
	r->len = len;
	memcpy(r->data, data, len);
	c->recs[c->n++] = r;
	return 0;
}

/* A total order: qsort() is not stable, so arrival decides between equal times. */
static int by_time(const void *a, const void *b)
{
	const struct rec *x = *(struct rec *const *)a, *y = *(struct rec *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* ---- handing them on ---- */

/*
 * A record that names no clause, or is shorter than its clause records, is not shown: a printer
 * would read beyond its end.
 */
static int report_event(struct dt_consumer *c, const struct dt_rechdr *h, size_t len)
{
	const struct dt_reclayout *l;
	struct dt_event e;
	uint64_t moment;
	int err = 0;

	if (h->epid == 0 || h->epid > c->necbs || len < sizeof(*h) + c->layouts->recs[h->epid - 1].size)
		return 0;
	l = &c->layouts->recs[h->epid - 1];
	if (l->moment != 0) {
		memcpy(&moment, (const uint8_t *)(h + 1) + l->moment, sizeof(moment));
		err = dt_consumer_moment(c, moment);
	}
	if (err != 0)
		return err;
	e = (struct dt_event){
		.ecb = c->ecbs[h->epid - 1],
		.epid = h->epid,
		.probe_id = l->probe_id,
		.cpu = h->cpu,
		.time = h->time,
		.data = (const uint8_t *)(h + 1),
		.layout = l,
	};
	return c->ops.event != NULL ? c->ops.event(c->ops.ctx, &e) : 0;
}

static int report_fault(struct dt_consumer *c, const struct dt_rechdr *h, size_t len)
{
	struct dt_recfault f;

	if (len < sizeof(*h) + sizeof(f) || c->ops.fault == NULL)
		return 0;
	memcpy(&f, h + 1, sizeof(f));
	return c->ops.fault(c->ops.ctx, &f);
}

static int report_committed(void *ctx, const void *rec, size_t len) { return report_event(ctx, rec, len); }

/* The word under which a speculative record was made, or which ended. */
static uint64_t spec_word(const struct dt_rechdr *h, size_t len)
{
	uint64_t word = 0;

	if (len >= sizeof(*h) + sizeof(word))
		memcpy(&word, h + 1, sizeof(word));
	return word;
}

/*
 * An end whose message had no room in a ring is still in its word, which the kernel shares with us. It is
 * noted here, and the number is free again; it decides about its records when all that is older was handed
 * on. The message of an end that is noted just before it is sent comes as well, and says nothing new.
 */
static int look_for_ends(struct dt_consumer *c)
{
	char *control = (char *)c->engine->ops->control(c->engine);
	uint64_t *words = (uint64_t *)(void *)(control + DT_CONTROL_SPECS);
	uint32_t n = control != NULL ? c->layouts->nspec : 0;
	int err = n > 0 ? dt_specs_room(&c->specs, n) : 0;

	for (uint32_t i = 0; i < n && err == 0; i++) {
		uint64_t word = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE), was = word;
		uint64_t next = word - word % DT_SPEC_NEXT + DT_SPEC_NEXT;

		if (word % DT_SPEC_NEXT >= DT_SPEC_COMMITTED &&
		    __atomic_compare_exchange_n(&words[i], &was, next, false, __ATOMIC_ACQ_REL,
			__ATOMIC_RELAXED))
			dt_specs_note(&c->specs, i + 1, word, dt_clock_ns());
	}
	return err;
}

/* One record, in its place in time. A speculative one waits in c->specs, and its end decides. */
static int process_record(struct dt_consumer *c, const struct dt_rechdr *h, size_t len)
{
	int err = dt_specs_before(&c->specs, h->time, report_committed, c);

	if (err != 0)
		return err;
	switch (h->epid) {
	case DT_REC_FAULT: return report_fault(c, h, len);
	case DT_REC_COMMIT: case DT_REC_DISCARD:
		return h->spec != 0 ? dt_specs_end(&c->specs, h->spec, spec_word(h, len),
					  h->epid == DT_REC_COMMIT, report_committed, c) :
				      0;
	default:
		return h->spec != 0 ?
		    dt_specs_keep(&c->specs, h->spec, spec_word(h, len), h, len, report_committed, c) :
		    report_event(c, h, len);
	}
}

/* At an error, the record that could not be copied and those after it stay in the rings. */
static int copy_rings(struct dt_consumer *c)
{
	int err = dt_merge_empty(c->merge, take_copy, c);

	for (uint32_t i = 0, n = c->engine->ops->rings(c->engine); i < n && err >= 0; i++)
		err = c->engine->ops->drain(c->engine, i, take_copy, c);
	return err < 0 ? err : 0;
}

int dt_consumer_hold(struct dt_consumer *c)
{
	return copy_rings(c);
}

/* What -F looks ahead to: a record of a clause that will be shown, and not a speculative one. */
static bool is_event(const void *ctx, const struct dt_rechdr *h)
{
	const struct dt_consumer *c = ctx;

	return h->epid > 0 && h->epid <= c->necbs && h->spec == 0;
}

uint32_t dt_consumer_next(const struct dt_consumer *c, uint32_t cpu)
{
	const struct dt_rechdr *h;

	for (size_t i = c->done; i < c->n; i++) {
		h = (const struct dt_rechdr *)c->recs[i]->data;
		if (h->cpu == cpu && is_event(c, h))
			return h->epid;
	}
	h = dt_merge_ahead(c->merge, cpu, is_event, c);
	return h != NULL ? h->epid : 0;
}

/*
 * Frees the copies that were handed on. They stay the consumer's until then, as the receiver of one may
 * jump out when memory runs out.
 */
static void forget_done(struct dt_consumer *c)
{
	for (size_t i = 0; i < c->done; i++)
		free(c->recs[i]);
	if (c->done > 0)
		memmove(c->recs, c->recs + c->done, (c->n - c->done) * sizeof(*c->recs));
	c->n -= c->done;
	c->done = 0;
}

/*
 * Hands on the copies in the order of time: the records of policies fill and ring, and what was held
 * when tracing ended, which is older than all that is in the rings now.
 */
static int read_copies(struct dt_consumer *c)
{
	int err = 0;

	forget_done(c);		/* of a call that memory ran out in */
	if (c->n == 0)
		return 0;	/* perhaps there is no array yet, and qsort() must not get NULL */
	qsort(c->recs, c->n, sizeof(*c->recs), by_time);
	while (c->done < c->n && err == 0) {
		struct rec *r = c->recs[c->done++];

		err = process_record(c, (const struct dt_rechdr *)r->data, r->len);
	}
	forget_done(c);
	return err;
}

/*
 * dt_merge_stop() comes in any case: it gives back what was read, also when a record could not be
 * handled. *until becomes the time up to which all was read.
 */
static int read_rings(struct dt_consumer *c, uint64_t *until, bool complete)
{
	int err = dt_merge_start(c->merge, complete), failed = 0;
	const struct dt_rechdr *h;
	size_t len;

	while (err == 0 && failed == 0 && (h = dt_merge_next(c->merge, *until, &len, &failed)) != NULL)
		err = process_record(c, h, len);
	*until = dt_merge_passed(c->merge, *until);
	dt_merge_stop(c->merge);
	return err != 0 ? err : failed;
}

bool dt_consumer_reading(const struct dt_consumer *c) { return dt_merge_reading(c->merge); }

void dt_consumer_abandon(struct dt_consumer *c)
{
	if (dt_merge_reading(c->merge))
		dt_merge_stop(c->merge);
}

void dt_consumer_complete(struct dt_consumer *c)
{
	c->complete = dt_clock_ns();
}

/*
 * printa(), clear() and trunc() see aggregations as they were at the moment that their record names
 * (report_event()). So where programs have closed generations, those are taken over first: that waits until
 * each running program has ended, so nothing older than its beginning can still arrive, and no slack is
 * needed then. All records that mean one of these generations are read now, and what was added after the
 * last of them is merged after them.
 */
int dt_consumer_read(struct dt_consumer *c, bool final)
{
	bool copies = c->layouts->policy != DT_POLICY_SWITCH, complete;
	uint64_t until = dt_clock_ns() - SLACK_NS, taken = 0;
	int err = 0;

	if (dt_consumer_moments(c))
		err = dt_consumer_take(c, &taken, &until);
	complete = final || taken > 0 || c->complete >= until;
	until = final || copies ? UINT64_MAX : until > c->complete ? until : c->complete;
	if (err == 0)
		err = look_for_ends(c);
	if (err == 0 && copies)
		err = copy_rings(c);
	if (err == 0 && copies && c->n > 0)
		err = dt_consumer_snap(c);
	if (err != 0)
		return err;
	err = read_copies(c);
	if (err == 0 && !copies)
		err = read_rings(c, &until, complete);
	if (err == 0 && taken > 0)
		err = dt_consumer_moment(c, taken);
	return err == 0 ? dt_specs_before(&c->specs, until, report_committed, c) : err;
}

/* ---- drops ---- */

/* How each counter of the kernel is reported: with the CPUs that dropped something, or without. */
static const struct { enum dt_dropkind kind; size_t off; bool percpu; } drop_kinds[] = {
	{ DT_DROP_PRINCIPAL, offsetof(struct dt_drops, principal), true },
	{ DT_DROP_AGGREGATION, offsetof(struct dt_drops, aggregation), true },
	{ DT_DROP_AGGMEMORY, offsetof(struct dt_drops, agg_memory), true },
	{ DT_DROP_MOMENT, offsetof(struct dt_drops, moment), true },
	{ DT_DROP_DYNAMIC, offsetof(struct dt_drops, dynamic), false },
	{ DT_DROP_SPEC, offsetof(struct dt_drops, speculative), false },
	{ DT_DROP_SPECBUSY, offsetof(struct dt_drops, spec_busy), false },
	{ DT_DROP_SPECUNAVAIL, offsetof(struct dt_drops, spec_unavail), false },
	{ DT_DROP_SLOT, offsetof(struct dt_drops, slot), true },
	{ DT_DROP_SAMPLE, offsetof(struct dt_drops, sample), false },
	{ DT_DROP_DBLERROR, offsetof(struct dt_drops, dblerror), false },
};
#define NKINDS DT_COUNT(drop_kinds)

static uint64_t drop_counter(const struct dt_drops *d, size_t k)
{
	uint64_t v;

	memcpy(&v, (const char *)d + drop_kinds[k].off, sizeof(v));
	return v;
}

static int report_drops(struct dt_consumer *c, const struct dt_dropped *d)
{
	return d->n != 0 && c->ops.drops != NULL ? c->ops.drops(c->ops.ctx, d) : 0;
}

/* Firings that the kernel itself did not run, as another program was running on that CPU. */
static int report_nested(struct dt_consumer *c)
{
	uint64_t before = c->missed;

	c->missed = c->engine->ops->missed(c->engine);
	return report_drops(c,
	    &(struct dt_dropped){ .kind = DT_DROP_NESTED, .n = c->missed - before, .cpu = -1 });
}

/* The sum of a kind over all CPUs, from what was seen before to what there is now. */
static struct dt_dropped sum_drops(const struct dt_consumer *c, const struct dt_drops *all, size_t k)
{
	struct dt_dropped d = { .kind = drop_kinds[k].kind, .cpu = -1 };

	for (uint32_t cpu = 0; cpu < c->engine->ops->ncpus(c->engine); cpu++) {
		uint64_t now = drop_counter(&all[cpu], k), n = now - drop_counter(&c->seen[cpu], k);

		d.n += n;
		d.worst = now > d.worst ? now : d.worst;
		if (n == 0 || !drop_kinds[k].percpu)
			continue;
		d.cpu = d.ncpus++ == 0 ? (int)cpu : -1;
	}
	return d;
}

/*
 * Reports what was dropped since the last call: each kind once, whatever the number of CPUs. The kernel's
 * counters only grow, so differences are exact.
 */
int dt_consumer_status(struct dt_consumer *c)
{
	uint32_t ncpus = c->engine->ops->ncpus(c->engine);
	struct dt_drops *all = c->seen + ncpus;
	struct dt_dropped counts[NKINDS];
	int err = c->engine->ops->drops(c->engine, all);

	if (err != 0)
		return err;
	for (size_t k = 0; k < NKINDS; k++) {
		counts[k] = sum_drops(c, all, k);
		if (counts[k].kind == DT_DROP_SPEC) {
			counts[k].n += c->specs.lost;
			c->specs.lost = 0;
		}
	}
	memcpy(c->seen, all, ncpus * sizeof(*all));
	for (size_t k = 0; k < NKINDS && err == 0; k++)
		err = report_drops(c, &counts[k]);
	return err == 0 ? report_nested(c) : err;
}
