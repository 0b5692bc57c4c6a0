/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the interpreter reports becomes records and parts of aggregations, in the layouts that a consumer
 * knows. One ring holds the records of all CPUs; its memory is used again when all of them have
 * been released.
 */
#include "replay/replay_impl.h"

#include "dif/action.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

static bool grow(uint8_t **bytes, size_t *room, size_t need)
{
	size_t more = *room != 0 ? *room : 4096;
	uint8_t *now;

	if (need <= *room)
		return true;
	while (more < need)
		more *= 2;
	now = realloc(*bytes, more);
	if (now == NULL)
		return false;
	*bytes = now;
	*room = more;
	return true;
}

static void put_record(struct replay *r, const void *rec, size_t len)
{
	size_t total = 8 + ((len + 7) & ~(size_t)7);
	uint64_t word = len;

	if (!grow(&r->ring, &r->ring_room, r->ring_len + total)) {
		r->drops.principal++;
		return;
	}
	memset(r->ring + r->ring_len, 0, total);
	memcpy(r->ring + r->ring_len, &word, sizeof(word));
	memcpy(r->ring + r->ring_len + 8, rec, len);
	r->ring_len += total;
}

static uint32_t find_in(const struct dt_enabling *en, uint32_t n, const struct dt_ecb *ecb, uint32_t probe)
{
	for (uint32_t i = 0; i < n; i++)
		if (en[i].ecb == ecb && en[i].probe_id == probe)
			return en[i].epid;
	return 0;
}

/* The number of the clause on that probe; 0: it is not enabled. */
static uint32_t epid_of(const struct replay *r, const struct dt_ecb *ecb, uint32_t probe)
{
	const struct dt_plan *p = r->plan;
	uint32_t epid = find_in(p->opts->errors, p->opts->nerrors, ecb, DT_PROBE_ERROR);

	for (uint32_t i = 0; i < p->nhooks && epid == 0; i++)
		epid = find_in(p->hooks[i].en, p->hooks[i].nen, ecb, probe);
	return epid;
}

void dt_replay_begin(void *ctx, const struct dt_ecb *ecb, uint32_t number, const struct dt_context *c)
{
	struct replay *r = ctx;
	struct dt_rechdr head = { .cpu = (uint16_t)c->cpu, .time = c->timestamp };

	(void)number;
	r->epid = dt_ecb_records(ecb) ? epid_of(r, ecb, c->probe_id) : 0;
	if (r->epid == 0)
		return;
	head.epid = r->epid;
	r->rec_size = sizeof(head) + r->image->layouts.recs[r->epid - 1].size;
	if (!grow(&r->rec, &r->rec_room, r->rec_size)) {
		r->drops.principal++;
		r->epid = 0;
		return;
	}
	memset(r->rec, 0, r->rec_size);
	memcpy(r->rec, &head, sizeof(head));
}

void dt_replay_record(void *ctx, const struct dt_ecb *ecb, uint32_t act, const void *data, size_t len)
{
	struct replay *r = ctx;
	const struct dt_recfield *f;

	(void)ecb;
	if (r->epid == 0)
		return;
	f = &r->image->layouts.recs[r->epid - 1].field[act];
	memcpy(r->rec + sizeof(struct dt_rechdr) + f->off, data, len < f->size ? len : f->size);
}

/* ---- aggregations ---- */

struct replay_part { struct replay_part *next; struct dt_aggcell cell; };

void dt_replay_forget(struct replay *r)
{
	for (struct replay_part *p = r->parts, *next; p != NULL; p = next) {
		next = p->next;
		free(p);
	}
	r->parts = NULL;
}

static const struct dt_agglayout *layout_of(const struct replay *r, uint32_t id, uint32_t *index)
{
	for (uint32_t i = 0; i < r->image->layouts.naggs; i++)
		if (r->image->layouts.aggs[i].id == id) {
			*index = i;
			return &r->image->layouts.aggs[i];
		}
	return NULL;
}

/* Bytes after the NUL of a string are not part of the key. */
static void put_key(const struct dt_agglayout *o, uint32_t k, const struct dt_interp_key *key, uint8_t *to)
{
	size_t size = o->key[k].size, len = key->len < size ? key->len : size;
	const struct dt_diftype *t = key->act->difo != NULL ? &key->act->difo->rtype : NULL;
	uint64_t word = key->len;

	if (key->act->kind == DT_ACT_DIFEXPR && t != NULL && t->kind == DT_DT_STRING)
		len = strnlen(key->data, len);
	memcpy(to + o->key[k].off, key->data, len);
	if (dt_agg_keymixed(o, k))
		memcpy(to + o->key[k].off + 8, &word, sizeof(word));
}

static void keep_element(void *ctx, const struct dt_aggvar *v, const struct dt_interp_key *keys,
    uint32_t nkeys, const int64_t *data, uint32_t nwords)
{
	struct replay *r = ctx;
	uint32_t index = 0;
	const struct dt_agglayout *o = layout_of(r, v->id, &index);
	struct replay_part *p;
	int64_t *words;

	if (o == NULL || nkeys != o->nkeys || nwords != o->nwords)
		return;
	p = calloc(1, sizeof(*p) + (nwords + 1) * sizeof(*words) + o->keysize);
	if (p == NULL) {
		r->drops.aggregation++;
		return;
	}
	words = (int64_t *)(p + 1);
	memcpy(words, data, nwords * sizeof(*words));
	words[nwords] = 1;
	for (uint32_t k = 0; k < nkeys; k++)
		put_key(o, k, &keys[k], (uint8_t *)(words + nwords + 1));
	p->cell = (struct dt_aggcell){ .agg = index, .gen = r->gen, .key = words + nwords + 1, .words = words,
		.stride = nwords + 1, .ncpus = 1 };
	p->next = r->parts;
	r->parts = p;
}

/* What firings have added since the last one was closed. */
static void close_generation(struct replay *r)
{
	if (r->interp != NULL) {
		dt_interp_aggs(r->interp, keep_element, r);
		dt_interp_aggs_clear(r->interp);
	}
	r->gen++;
}

int dt_replay_take(struct dt_engine *e, struct dt_taken *taken, dt_aggcell_f *f, void *ctx)
{
	struct replay *r = (struct replay *)e;
	int ret = 0;

	close_generation(r);
	for (struct replay_part *p = r->parts; p != NULL && ret == 0; p = p->next)
		ret = f(ctx, &p->cell);
	dt_replay_forget(r);
	r->moments = false;
	*taken = (struct dt_taken){ .gen = r->gen - 1, .time = UINT64_MAX - 1 };
	return ret;
}

bool dt_replay_moments(const struct dt_engine *e) { return ((const struct replay *)e)->moments; }

/* ---- the end of a clause, faults, drops ---- */

/* printa(), clear() and trunc() mean what was added up to here. */
void dt_replay_end(void *ctx, const struct dt_ecb *ecb, bool faulted)
{
	struct replay *r = ctx;
	const struct dt_reclayout *l;

	(void)ecb;
	if (r->epid == 0 || faulted)
		return;
	l = &r->image->layouts.recs[r->epid - 1];
	if (l->moment != 0) {
		memcpy(r->rec + sizeof(struct dt_rechdr) + l->moment, &r->gen, sizeof(r->gen));
		close_generation(r);
		r->moments = true;
	}
	put_record(r, r->rec, r->rec_size);
	r->epid = 0;
}

void dt_replay_fault(void *ctx, const struct dt_ecb *ecb, uint32_t number, int act, int offset,
    enum dt_fault fault, uint64_t addr)
{
	struct replay *r = ctx;
	const struct dt_context *c = r->context;
	struct { struct dt_rechdr head; struct dt_recfault fault; } rec = {
		.head = { .epid = DT_REC_FAULT, .cpu = (uint16_t)c->cpu, .time = c->timestamp },
		.fault = { .epid = epid_of(r, ecb, c->probe_id), .probe_id = c->probe_id, .action = act,
		    .offset = offset, .fault = (uint32_t)fault, .addr = addr },
	};

	(void)number;
	if (rec.fault.epid != 0)
		put_record(r, &rec, sizeof(rec));
}

void dt_replay_drop(void *ctx, const char *kind)
{
	struct replay *r = ctx;

	if (strcmp(kind, "dynamic variable") == 0)
		r->drops.dynamic++;
	else if (strcmp(kind, "speculative") == 0)
		r->drops.speculative++;
	else if (strcmp(kind, "failed speculation") == 0)
		r->drops.spec_unavail++;
	else if (strcmp(kind, "aggregation") == 0)
		r->drops.aggregation++;
	else
		r->drops.dblerror++;
}

/* ---- the ring ---- */

uint32_t dt_replay_rings(struct dt_engine *e) { (void)e; return 1; }
int dt_replay_ring_cpu(const struct dt_engine *e, uint32_t ring) { (void)e, (void)ring; return -1; }
uint64_t dt_replay_room(struct dt_engine *e) { return ((struct replay *)e)->ring_room; }

uint64_t dt_replay_range(struct dt_engine *e, uint32_t ring, uint64_t *end)
{
	struct replay *r = (struct replay *)e;

	(void)ring;
	*end = r->ring_base + r->ring_len;
	return r->released;
}

int dt_replay_next(struct dt_engine *e, uint32_t ring, uint64_t *pos, uint64_t end, const void **rec,
    size_t *len)
{
	struct replay *r = (struct replay *)e;
	const uint8_t *at = r->ring + (*pos - r->ring_base);
	uint64_t word;

	(void)ring;
	if (*pos >= end)
		return 0;
	memcpy(&word, at, sizeof(word));
	*rec = at + 8;
	*len = (size_t)word;
	*pos += 8 + ((word + 7) & ~7ull);
	return 1;
}

/* No record is read while others are made, so that nothing moves under a reader. */
void dt_replay_release(struct dt_engine *e, uint32_t ring, uint64_t pos)
{
	struct replay *r = (struct replay *)e;

	(void)ring;
	r->released = pos;
	if (pos == r->ring_base + r->ring_len) {
		r->ring_base = pos;
		r->ring_len = 0;
	}
}

int dt_replay_drain(struct dt_engine *e, uint32_t ring, dt_ring_f *f, void *ctx)
{
	uint64_t end, pos = dt_replay_range(e, ring, &end);
	const void *rec;
	size_t len;
	int ret = 0;

	while (ret == 0 && dt_replay_next(e, ring, &pos, end, &rec, &len) > 0)
		ret = f(ctx, rec, len);
	if (ret >= 0)
		dt_replay_release(e, ring, pos);
	return ret;
}
