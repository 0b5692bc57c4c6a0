/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations: an evaluated tuple comes in (id, keys, value, increment), and the element's data is updated.
 * Elements are found by the bytes of their keys. The row of the aggregating function says how the data
 * changes; the kernel side has to agree with its `init` and `add`, word for word.
 */
#include "dif/action.h"
#include "interp/state.h"

#include <stdlib.h>

#define WORDS_MAX (1u << 20)		/* of one element: the argument of llquantize() is hostile */

struct agg_elem {			/* data of an entry; then the keys, then the words */
	const struct dt_aggvar *var;
	uint32_t nkeys, nwords;
	struct dt_interp_key key[];	/* data points into the entry's key */
};

/* In the order of the table: there are few, and the interpreter is not meant to be fast. */
static const struct dt_aggvar *find_var(const struct dt_interp *ip, uint64_t id)
{
	for (uint32_t i = 0; i < ip->prog->naggs; i++) {
		if (ip->prog->aggs[i].id == id)
			return &ip->prog->aggs[i];
	}
	return NULL;
}

static int64_t *elem_words(struct agg_elem *e) { return (int64_t *)(e->key + e->nkeys); }

/* The id, then each key's length and bytes: integers of another size are other keys. */
static uint8_t *make_key(struct dt_interp *ip, uint64_t id, const struct dt_tuplekey *keys, uint32_t n,
    uint32_t *len)
{
	uint64_t total = 8;
	uint8_t *key, *p;

	for (uint32_t i = 0; i < n; i++)
		total += sizeof(keys[i].len) + keys[i].len;
	if (total > 8 * DT_INTERP_RECMAX) {
		dt_interp_fault(ip, DT_FLT_BADSIZE, total);
		return NULL;
	}
	key = p = dt_interp_temp(ip, total);
	if (!key)
		return NULL;
	memcpy(p, &id, 8);
	p += 8;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(p, &keys[i].len, sizeof(keys[i].len));
		p += sizeof(keys[i].len);
		if (keys[i].len)
			memcpy(p, keys[i].bytes, keys[i].len);
		p += keys[i].len;
	}
	*len = (uint32_t)total;
	return key;
}

/* The keys of the element point into the entry's copy of the key bytes, as make_key() laid them out. */
static struct agg_elem *elem_new(struct dt_interp *ip, const struct dt_aggvar *var,
    const struct dt_aggfunc *func, const struct dt_tuplekey *keys, const uint8_t *key, uint32_t len)
{
	uint32_t nwords = func->nwords(var->arg), off = 8;
	struct dt_tab_entry *entry;
	struct agg_elem *e;

	if (nwords > WORDS_MAX)
		return NULL;
	entry = dt_tab_add(&ip->aggs, key, len, sizeof(*e) + var->nkeys * sizeof(e->key[0]) + nwords * 8ull);
	if (!entry)
		return NULL;
	e = (struct agg_elem *)entry->data;
	e->var = var;
	e->nkeys = var->nkeys;
	e->nwords = nwords;
	for (uint32_t i = 0; i < var->nkeys; i++) {
		off += sizeof(keys[i].len);
		e->key[i] = (struct dt_interp_key){
			.act = keys[i].act, .data = entry->key + off, .len = keys[i].len
		};
		off += keys[i].len;
	}
	func->init(elem_words(e), var->arg);
	return e;
}

/*
 * The program was checked, but the id is a value: one that names no aggregation of this kind faults. Without
 * memory for a new element the update is a drop.
 */
void dt_interp_aggregate(struct dt_interp *ip, const struct dt_act *act, const struct dt_tuplekey *tuple,
    uint32_t n)
{
	const struct dt_aggvar *var = n ? find_var(ip, tuple[0].value) : NULL;
	const struct dt_aggfunc *func = dt_aggfunc_of(act->kind);
	struct dt_tab_entry *entry;
	struct agg_elem *e;
	int64_t value = 0, incr = 1;
	uint32_t len = 0;
	uint8_t *key;

	if (!var || !func || var->kind != act->kind || var->arg != act->arg || n - 1 < var->nkeys) {
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
		return;
	}
	if (n > 1 + var->nkeys)
		value = (int64_t)tuple[1 + var->nkeys].value;
	if (n > 2 + var->nkeys)
		incr = (int64_t)tuple[2 + var->nkeys].value;
	key = make_key(ip, var->id, tuple + 1, var->nkeys, &len);
	if (!key)
		return;
	entry = dt_tab_find(&ip->aggs, key, len);
	e = entry ? (struct agg_elem *)entry->data : elem_new(ip, var, func, tuple + 1, key, len);
	if (e)
		func->add(elem_words(e), var->arg, value, incr);
	else
		dt_interp_drop(ip, "aggregation");
}

void dt_interp_aggs(struct dt_interp *ip, dt_interp_agg_f *f, void *ctx)
{
	for (struct dt_tab_entry *entry = ip->aggs.first; entry; entry = entry->next) {
		struct agg_elem *e = (struct agg_elem *)entry->data;

		f(ctx, e->var, e->key, e->nkeys, elem_words(e), e->nwords);
	}
}

void dt_interp_aggs_clear(struct dt_interp *ip) { dt_tab_clear(&ip->aggs); }
