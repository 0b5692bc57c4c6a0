/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings in, events out. Each read takes everything the CPUs have recorded, sorts it by time and hands on what is
 * old enough that nothing earlier can still come; the rest waits for the next read. Speculative records wait under
 * their id until the record that commits or discards them comes by.
 */
#include "consume/consumer.h"
#include "consume/state.h"

#include "host/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A program preempted between taking its time and submitting its record can be this late. */
#define SLACK_NS 2000000u

struct rec {
	uint64_t time;
	uint64_t seq;			/* order of arrival: equal times stay in order */
	size_t len;
	uint8_t data[];			/* struct dt_rechdr and the fields */
};

struct dt_consumer {
	struct dt_session *session;
	const struct dt_image *image;
	const struct dt_ecb *const *ecbs;	/* by epid - 1 */
	uint32_t necbs;
	bool *shows_aggs;		/* by epid - 1 */
	bool any_shows_aggs;
	struct dt_consumer_ops ops;
	struct rec **recs;		/* waiting, unsorted */
	size_t n, cap;
	size_t done;			/* while they are handed on: the first that was not */
	uint64_t seq;
	struct dt_specs specs;
	uint64_t *ends;			/* by number - 1: the words of speculations when reading began */
	struct dt_drops *seen;		/* by CPU: what was told already */
	uint64_t missed;		/* the same of dt_session_missed() */
	struct dt_aggs aggs;
	int err;
};

struct dt_aggs *dt_consumer_aggs(struct dt_consumer *c)
{
	return &c->aggs;
}

struct dt_session *dt_consumer_session(struct dt_consumer *c)
{
	return c->session;
}

struct dt_consumer *dt_consumer_new(struct dt_session *session, const struct dt_image *image, const struct dt_ecb *const *ecbs,
    uint32_t necbs, const struct dt_consumer_ops *ops)
{
	struct dt_consumer *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->session = session;
	c->image = image;
	c->ecbs = ecbs;
	c->necbs = necbs;
	c->ops = *ops;
	c->seen = calloc(dt_session_ncpus(session), sizeof(*c->seen));
	c->shows_aggs = calloc(necbs + 1u, sizeof(*c->shows_aggs));
	c->ends = calloc(image->nspec + 1u, sizeof(*c->ends));
	if (c->seen == NULL || c->shows_aggs == NULL || c->ends == NULL || dt_aggs_init(&c->aggs, image) != 0) {
		dt_consumer_free(c);
		return NULL;
	}
	c->aggs.ops = &c->ops;
	for (uint32_t i = 0; i < necbs && image->naggs > 0; i++) {
		c->shows_aggs[i] = dt_ecb_shows_aggs(ecbs[i]);
		c->any_shows_aggs |= c->shows_aggs[i];
	}
	return c;
}

int dt_consumer_extend(struct dt_consumer *c, const struct dt_image *image, const struct dt_ecb *const *ecbs, uint32_t necbs)
{
	bool *shows = realloc(c->shows_aggs, (necbs + 1u) * sizeof(*shows));

	if (shows == NULL)
		return -ENOMEM;
	c->shows_aggs = shows;
	for (uint32_t i = c->necbs; i < necbs; i++) {
		shows[i] = image->naggs > 0 && dt_ecb_shows_aggs(ecbs[i]);
		c->any_shows_aggs |= shows[i];
	}
	c->image = image;
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
	free(c->ends);
	free(c->recs);
	free(c->shows_aggs);
	free(c->seen);
	free(c);
}

/* ---- taking records ---- */

static int take(void *ctx, const void *data, size_t len)
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

static int by_time(const void *a, const void *b)
{
	const struct rec *x = *(struct rec *const *)a, *y = *(struct rec *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* ---- handing them on ---- */

static int tell_event(struct dt_consumer *c, const uint8_t *data, size_t len)
{
	const struct dt_rechdr *h = (const struct dt_rechdr *)data;
	struct dt_event e;

	if (h->epid == 0 || h->epid > c->necbs || len < sizeof(*h) + c->image->recs[h->epid - 1].size)
		return 0;
	e = (struct dt_event){
		.ecb = c->ecbs[h->epid - 1], .epid = h->epid, .probe_id = c->image->recs[h->epid - 1].probe_id, .cpu = h->cpu,
		.time = h->time, .data = data + sizeof(*h), .layout = &c->image->recs[h->epid - 1],
	};
	return c->ops.event != NULL ? c->ops.event(c->ops.ctx, &e) : 0;
}

static int tell_fault(struct dt_consumer *c, const struct rec *r)
{
	struct dt_recfault f;

	if (r->len < sizeof(struct dt_rechdr) + sizeof(f) || c->ops.fault == NULL)
		return 0;
	memcpy(&f, r->data + sizeof(struct dt_rechdr), sizeof(f));
	return c->ops.fault(c->ops.ctx, &f);
}

static int tell_committed(void *ctx, const void *rec, size_t len) { return tell_event(ctx, rec, len); }

/* The word a speculative record was made under, or that ended. */
static uint64_t spec_word(const struct rec *r)
{
	uint64_t word = 0;

	if (r->len >= sizeof(struct dt_rechdr) + sizeof(word))
		memcpy(&word, r->data + sizeof(struct dt_rechdr), sizeof(word));
	return word;
}

/* Ends whose news had no room: the words still say so. Each is free when we have taken note. */
static uint64_t *spec_words(struct dt_consumer *c)
{
	char *control = (char *)dt_session_control(c->session);

	return control != NULL && c->image->nspec > 0 ? (uint64_t *)(void *)(control + DT_CONTROL_SPECS) : NULL;
}

/* Before the rings are read: what was recorded before such an end then is in hand. True: something was committed. */
static bool look_for_ends(struct dt_consumer *c)
{
	uint64_t *words = spec_words(c);
	bool commits = false;

	for (uint32_t i = 0; words != NULL && i < c->image->nspec; i++) {
		c->ends[i] = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
		commits |= c->ends[i] % DT_SPEC_NEXT == DT_SPEC_COMMITTED;
	}
	return commits;
}

static int untold_ends(struct dt_consumer *c)
{
	uint64_t *words = spec_words(c);
	int err = 0;

	for (uint32_t i = 0; words != NULL && i < c->image->nspec && err == 0; i++) {
		uint64_t word = c->ends[i], next = word - word % DT_SPEC_NEXT + DT_SPEC_NEXT;

		if (word % DT_SPEC_NEXT < DT_SPEC_COMMITTED)
			continue;
		err = dt_specs_end(&c->specs, i + 1, word, word % DT_SPEC_NEXT == DT_SPEC_COMMITTED, tell_committed, c);
		__atomic_compare_exchange_n(&words[i], &word, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	return err;
}

/* Owns r from here on. */
static int process(struct dt_consumer *c, struct rec *r)
{
	const struct dt_rechdr *h = (const struct dt_rechdr *)r->data;
	uint32_t spec = h->spec;
	int err;

	switch (h->epid) {
	case DT_REC_FAULT: err = tell_fault(c, r); break;
	case DT_REC_COMMIT: case DT_REC_DISCARD:
		err = spec != 0 ? dt_specs_end(&c->specs, spec, spec_word(r), h->epid == DT_REC_COMMIT, tell_committed, c) : 0;
		break;
	default:
		err = spec != 0 ? dt_specs_keep(&c->specs, spec, spec_word(r), r->data, r->len, tell_committed, c) :
		    tell_event(c, r->data, r->len);
	}
	free(r);
	return err;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int drain(struct dt_consumer *c)
{
	int err = 0;

	for (uint32_t cpu = 0; cpu < dt_session_ncpus(c->session) && err >= 0; cpu++)
		err = dt_session_drain(c->session, cpu, take, c);
	return err < 0 ? err : 0;
}

int dt_consumer_hold(struct dt_consumer *c)
{
	return drain(c);
}

/* A record waits that shows or empties an aggregation. */
static bool wants_aggs(const struct dt_consumer *c)
{
	for (size_t i = 0; i < c->n && c->any_shows_aggs; i++) {
		const struct dt_rechdr *h = (const struct dt_rechdr *)c->recs[i]->data;

		if (h->epid == DT_REC_COMMIT || (h->epid > 0 && h->epid <= c->necbs && c->shows_aggs[h->epid - 1]))
			return true;
	}
	return false;
}

uint32_t dt_consumer_next(const struct dt_consumer *c, uint32_t cpu)
{
	for (size_t i = c->done; i < c->n; i++) {
		const struct dt_rechdr *h = (const struct dt_rechdr *)c->recs[i]->data;

		if (h->cpu == cpu && h->epid > 0 && h->epid <= c->necbs && h->spec == 0)
			return h->epid;
	}
	return 0;
}

/*
 * printa(), clear() and trunc() see one snapshot, taken after their records were: it holds every update made before
 * them, and what clear() and trunc() take away is what the printa() before them has shown. Records that come in faster
 * than snapshots can be taken share one. Taking it waits until each program that was running is done, so afterwards
 * nothing older than its beginning can still come: no slack is needed then.
 */
int dt_consumer_read(struct dt_consumer *c, bool final)
{
	uint64_t until = now_ns();
	bool commits = look_for_ends(c);
	int err = drain(c);

	if (err == 0 && (wants_aggs(c) || (commits && c->any_shows_aggs))) {
		err = dt_consumer_snap(c);
		if (err == 0)
			err = drain(c);
	} else {
		until -= SLACK_NS;
	}
	if (err != 0)
		return err;
	if (final)
		until = UINT64_MAX;
	if (c->n == 0)		/* maybe there is no array yet, and qsort() takes none */
		return untold_ends(c);
	qsort(c->recs, c->n, sizeof(*c->recs), by_time);
	while (c->done < c->n && c->recs[c->done]->time <= until && err == 0) {
		struct rec *r = c->recs[c->done++];

		err = process(c, r);
	}
	memmove(c->recs, c->recs + c->done, (c->n - c->done) * sizeof(*c->recs));
	c->n -= c->done;
	c->done = 0;
	return err == 0 ? untold_ends(c) : err;
}

/* ---- drops ---- */

static const struct { const char *kind; size_t off; bool percpu; } drop_kinds[] = {
	{ "PRINCIPAL", offsetof(struct dt_drops, principal), true },
	{ "AGGREGATION", offsetof(struct dt_drops, aggregation), true },
	{ "DYNAMIC", offsetof(struct dt_drops, dynamic), false },
	{ "SPEC", offsetof(struct dt_drops, speculative), false },
	{ "SPECBUSY", offsetof(struct dt_drops, spec_busy), false },
	{ "SPECUNAVAIL", offsetof(struct dt_drops, spec_unavail), false },
	{ "PRINCIPAL", offsetof(struct dt_drops, slot), true },		/* no slot: the firing was not recorded */
	{ "DBLERROR", offsetof(struct dt_drops, dblerror), false },
};
#define NKINDS (sizeof(drop_kinds) / sizeof(drop_kinds[0]))

static uint64_t counter(const struct dt_drops *d, size_t k)
{
	uint64_t v;

	memcpy(&v, (const char *)d + drop_kinds[k].off, sizeof(v));
	return v;
}

static int nested(struct dt_consumer *c)
{
	uint64_t before = c->missed;

	c->missed = dt_session_missed(c->session);
	return c->missed != before && c->ops.drops != NULL ? c->ops.drops(c->ops.ctx, "NESTED", -1, c->missed - before) : 0;
}

int dt_consumer_status(struct dt_consumer *c)
{
	uint64_t total[NKINDS] = { 0 };
	int err = 0;

	for (uint32_t cpu = 0; cpu < dt_session_ncpus(c->session); cpu++) {
		struct dt_drops now;

		if (dt_session_drops(c->session, cpu, &now) != 0)
			continue;
		for (size_t k = 0; k < NKINDS; k++) {
			uint64_t n = counter(&now, k) - counter(&c->seen[cpu], k);

			total[k] += n;
			if (n != 0 && drop_kinds[k].percpu && c->ops.drops != NULL && err == 0)
				err = c->ops.drops(c->ops.ctx, drop_kinds[k].kind, (int)cpu, n);
		}
		c->seen[cpu] = now;
	}
	for (size_t k = 0; k < NKINDS && err == 0; k++) {
		if (drop_kinds[k].off == offsetof(struct dt_drops, speculative)) {
			total[k] += c->specs.lost;
			c->specs.lost = 0;
		}
		if (total[k] != 0 && !drop_kinds[k].percpu && c->ops.drops != NULL)
			err = c->ops.drops(c->ops.ctx, drop_kinds[k].kind, -1, total[k]);
	}
	return err == 0 ? nested(c) : err;
}
