/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of a recording: what they are (G), their keys (K), snapshots (V) that hold what has changed
 * since the one before, and elements that are shown (R, A). A key is written once and is a number then.
 */
#include "sink/record_impl.h"

#include "dif/action.h"
#include "output/buckets.h"

#include <endian.h>
#include <errno.h>

enum {
	MAX_KEYS = 100000,		/* of one aggregation, whose elements are in snapshots */
	COMPLETE_EVERY = 60,		/* snapshots: for readers that have missed the beginning */
};

/* ---- what an aggregation is ---- */

static void put_numbers(struct dt_out *o, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = f->parts != NULL ? f->parts(v, part) : 0;

	dt_put_u32(o, f->number != NULL ? 1 : n);
	if (f->number != NULL)
		dt_put_text(o, f->names->name);
	for (uint32_t i = 0; i < n && f->number == NULL; i++)
		dt_put_text(o, part[i].name);
}

/* All of them: which ones a picture hides depends on the counts, and the numbers of words do not. */
static void put_buckets(struct dt_out *o, const struct dt_value *v)
{
	const struct dt_bucketing *how = dt_aggfunc_of(v->aggkind)->buckets;
	struct dt_buckets b;
	uint32_t n = how != NULL && dt_buckets_open(&b, v) ? how->n(v->aggarg) : 0;

	b = (struct dt_buckets){ .how = how, .arg = v->aggarg, .count = v->words, .n = n };
	dt_put_u32(o, n);
	for (uint32_t i = 0; i < n; i++) {
		struct dt_bucket_bounds ends = dt_buckets_bounds(&b, i);

		dt_put_u32(o, (ends.has_min ? 1u : 0) | (ends.has_max ? 2u : 0));
		dt_put_u64(o, ends.has_min ? (uint64_t)ends.min : 0);
		dt_put_u64(o, ends.has_max ? (uint64_t)ends.max : 0);
	}
}

/* Aggregation i of the rows, written if it is new. NULL: it is, and has no elements to describe it by. */
static struct dt_record_agg *put_aggregation(struct dt_record *r, const struct dt_sink_aggs *from, uint32_t i)
{
	int64_t id = from->ids[i];
	const char *name = r->sink.env.aggname(r->sink.env.ctx, id);
	struct dt_out *o = &r->inner;
	const struct dt_value *v;
	struct dt_record_agg *a;
	uint32_t nkeys;
	char key[32];

	snprintf(key, sizeof(key), "%lld", (long long)id);
	if ((a = dt_map_get(&r->aggs, key)) != NULL || from->n == 0)
		return a;
	v = &from->rows[0].vals[i];
	nkeys = from->rows[0].nkeys;
	a = DT_NEW(r->sink.env.arena, struct dt_record_agg);
	a->id = id;
	dt_map_put(&r->aggs, key, a);
	dt_put_u64(o, (uint64_t)id);
	dt_put_text(o, name != NULL ? name : "");
	dt_put_text(o, dt_aggfunc_of(v->aggkind)->names->name);
	dt_put_u64(o, v->aggarg);
	dt_put_u32(o, v->nwords);
	dt_put_u32(o, nkeys);
	for (uint32_t k = 0; k < nkeys; k++)
		dt_record_source(r, o, r->sink.env.aggkey(r->sink.env.ctx, id, k));
	put_numbers(o, v);
	put_buckets(o, v);
	dt_block_end(&r->blocks, 'G', o);
	return a;
}

/* ---- snapshots ---- */

static void put_key(struct dt_record *r, const struct dt_record_agg *a, const struct dt_aggrow *row,
    uint32_t number)
{
	struct dt_out *o = &r->inner;

	for (uint32_t k = 0; k < row->nkeys; k++)
		dt_record_name(r, &row->keys[k]);
	dt_put_u64(o, (uint64_t)a->id);
	dt_put_u32(o, number);
	dt_put_u32(o, row->nkeys);
	dt_out_put(o, dt_out_text(&r->one), r->one.len);
	dt_block_end(&r->blocks, 'K', o);
}

/* The key of a row, written if it is new; NULL: there are too many. */
static struct dt_key *key_of(struct dt_record *r, struct dt_record_agg *a, const struct dt_aggrow *row)
{
	struct dt_key *key;
	bool fresh;

	dt_out_clear(&r->one);
	for (uint32_t k = 0; k < row->nkeys; k++)
		dt_put_value(&r->one, &row->keys[k]);
	key = dt_keys_find(&a->keys, dt_out_text(&r->one), r->one.len, MAX_KEYS, &fresh);
	if (key != NULL && fresh)
		put_key(r, a, row, key->number);
	return key;
}

/* How many keys there are no more; their numbers. */
static void put_gone(struct dt_record_agg *a, struct dt_out *o)
{
	size_t at = o->len;
	uint32_t n = 0;

	dt_put_u32(o, 0);
	for (uint32_t i = 0; i < a->keys.n; i++) {
		struct dt_key *k = &a->keys.v[i];

		if (!k->present || k->round == a->round)
			continue;
		k->present = false;
		dt_put_u32(o, k->number);
		n++;
	}
	n = htole32(n);
	if (!o->failed)
		memcpy(o->buf + at, &n, sizeof(n));
}

/*
 * An element is written if its value, or the divisor, is not what was written last. Returns 1 if it was.
 */
static uint32_t put_change(struct dt_out *o, struct dt_key *k, const struct dt_value *v, bool complete)
{
	uint64_t hash = dt_keys_hash(v->words, v->nwords * sizeof(*v->words)) ^ (uint64_t)v->normal;

	if (k->present && k->last == hash && !complete)
		return 0;
	k->present = true;
	k->last = hash;
	dt_put_u32(o, k->number);
	dt_put_element(o, v);
	return 1;
}

/* Aggregation i of the rows. Keys that are new go to the stream before the block in hand. */
static void put_snapshot(struct dt_record *r, const struct dt_sink_aggs *a, uint32_t i, uint32_t flags)
{
	struct dt_record_agg *agg = put_aggregation(r, a, i);
	struct dt_out *o = &r->block;
	bool complete;
	uint64_t more = 0;
	uint32_t n = 0;
	size_t at;

	if (agg == NULL)
		return;
	complete = agg->round++ % COMPLETE_EVERY == 0;
	if (agg->keys.n >= MAX_KEYS && !dt_keys_remove_unused(&agg->keys))
		r->blocks.err = ENOMEM;
	dt_put_u64(o, r->sink.env.now(r->sink.env.ctx));
	dt_put_u64(o, (uint64_t)agg->id);
	dt_put_u32(o, flags | (complete ? DT_SNAP_COMPLETE : 0));
	at = o->len;
	dt_put_u64(o, 0);
	dt_put_u32(o, 0);
	for (size_t row = 0; row < a->n && r->blocks.err == 0; row++) {
		struct dt_key *k;

		if (a->rows[row].from != NULL && a->rows[row].from[i] == NULL)
			continue;
		if ((k = key_of(r, agg, &a->rows[row])) == NULL) {
			more++;
			continue;
		}
		k->round = agg->round;
		n += put_change(o, k, &a->rows[row].vals[i], complete);
	}
	more = htole64(more);
	n = htole32(n);
	if (!o->failed) {
		memcpy(o->buf + at, &more, sizeof(more));
		memcpy(o->buf + at + sizeof(more), &n, sizeof(n));
	}
	put_gone(agg, o);
	dt_block_end(&r->blocks, 'V', o);
}

void dt_record_snapshot(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct dt_record *r = (struct dt_record *)s;

	for (uint32_t i = 0; i < a->nids; i++)
		put_snapshot(r, a, i, 0);
}

/* ---- elements that are shown ---- */

static void put_rows(struct dt_record *r, char letter, const struct dt_sink_aggs *a)
{
	struct dt_out *o = &r->block;

	for (size_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < a->rows[i].nkeys; k++)
			dt_record_name(r, &a->rows[i].keys[k]);
	for (uint32_t i = 0; i < a->nids; i++)
		(void)put_aggregation(r, a, i);
	dt_put_u64(o, r->sink.env.now(r->sink.env.ctx));
	dt_put_u32(o, a->nids);
	for (uint32_t i = 0; i < a->nids; i++)
		dt_put_u64(o, (uint64_t)a->ids[i]);
	dt_put_u32(o, (uint32_t)a->n);
	for (size_t i = 0; i < a->n; i++) {
		dt_put_u32(o, a->rows[i].nkeys);
		for (uint32_t k = 0; k < a->rows[i].nkeys; k++)
			dt_put_value(o, &a->rows[i].keys[k]);
		for (uint32_t k = 0; k < a->nids; k++)
			dt_put_element(o, &a->rows[i].vals[k]);
	}
	dt_block_end(&r->blocks, letter, o);
}

/*
 * printa() shows them as text, and asks for them in the middle of it. A clear() may follow: the snapshot
 * tells readers that follow values what they were.
 */
void dt_record_shown(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct dt_record *r = (struct dt_record *)s;

	for (uint32_t i = 0; i < a->nids; i++)
		put_snapshot(r, a, i, DT_SNAP_SHOWN);
	if (!r->leaving)
		put_rows(r, 'R', a);
}

void dt_record_aggregation(struct dt_record *r, const struct dt_sink_aggs *a)
{
	put_rows(r, 'A', a);
}

void dt_record_aggs_free(struct dt_record *r)
{
	for (uint32_t i = 0; i < r->aggs.n; i++)
		dt_keys_free(&((struct dt_record_agg *)r->aggs.v[i].value)->keys);
}
