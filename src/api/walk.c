/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks over aggregations. A walk first makes all elements for the caller, then sorts them and hands them
 * out; what the caller says of each changes the consumer's own element. Walks may be nested: an element that
 * is to go is only marked, and stays until the last walk has ended (t->h->doing.walking counts them).
 */
#include "handle/entry.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>

/* ---- orders ---- */

/* What elements are compared by, in the order of an `order`. */
enum part { BY_VARIABLE, BY_KEY, BY_VALUE };

struct order {
	enum part part[3];
	bool reverse;
	uint32_t keypos;		/* the key where comparing begins */
};

/* Numbers of aggregations are in the order in which programs first use them. */
static int by_variable(const struct dt_aggdata *a, const struct dt_aggdata *b)
{
	uint32_t x = a->agg->layout->id, y = b->agg->layout->id;

	return (x > y) - (x < y);
}

/* Compares all keys, beginning with key `start` (-x aggsortkeypos) and going round. */
static int by_key(const struct dt_aggdata *a, const struct dt_aggdata *b, uint32_t start)
{
	uint32_t n = a->row.nkeys < b->row.nkeys ? a->row.nkeys : b->row.nkeys;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = ((start < n ? start : 0) + i) % n;
		int c = dt_agg_cmp_key(&a->row.keys[k], &b->row.keys[k]);

		if (c != 0)
			return c;
	}
	return (a->row.nkeys > b->row.nkeys) - (a->row.nkeys < b->row.nkeys);
}

/* Values of different functions mean different things, so they stand apart. */
static int by_value(const struct dt_aggdata *a, const struct dt_aggdata *b)
{
	if (a->val.aggkind != b->val.aggkind)
		return a->val.aggkind < b->val.aggkind ? -1 : 1;
	return dt_agg_cmp_value(&a->val, &b->val);
}

/* For qsort_r(). Reverse turns all parts round, as in history. */
static int by_order(const void *x, const void *y, void *ctx)
{
	const struct dt_aggdata *a = *(struct dt_aggdata *const *)x, *b = *(struct dt_aggdata *const *)y;
	const struct order *o = ctx;
	int c = 0;

	for (size_t i = 0; i < 3 && c == 0; i++)
		switch (o->part[i]) {
		case BY_VARIABLE: c = by_variable(a, b); break;
		case BY_KEY: c = by_key(a, b, o->keypos); break;
		case BY_VALUE: c = by_value(a, b); break;
		}
	return o->reverse ? -c : c;
}

/* ---- what a caller says ---- */

/* Does to one element what the caller's return value says. -1: the walk ends with the error set. */
static int obey_caller(struct dtrace_hdl *h, struct dt_aggdata *a, int says)
{
	switch (says) {
	case DTRACE_AGGWALK_NEXT:
		return 0;
	case DTRACE_AGGWALK_CLEAR:
		dt_agg_clear_elem(a->elem);
		return 0;
	case DTRACE_AGGWALK_NORMALIZE:
		if (a->d.dtada_normal == 0)
			return dt_handle_error(h, EDT_BADRVAL);
		a->elem->normal = (int64_t)a->d.dtada_normal;
		return 0;
	case DTRACE_AGGWALK_DENORMALIZE:
		a->elem->normal = 1;
		return 0;
	case DTRACE_AGGWALK_REMOVE:
		a->elem->gone = true;
		return 0;
	case DTRACE_AGGWALK_ERROR:
		return -1;		/* with the error that the caller's own calls have left */
	case DTRACE_AGGWALK_ABORT:
		return dt_handle_error(h, EDT_DIRABORT);
	default:
		return dt_handle_error(h, EDT_BADRVAL);
	}
}

/* When the last walk ends, elements that were removed are freed. Returns err, or -1 if that fails. */
static int end_walk(struct dtrace_hdl *h, int err)
{
	struct dt_trace *t = h->trace;

	if (--t->h->doing.walking > 0)
		return err;
	for (uint32_t i = 0; i < dt_consumer_naggs(t->consumer); i++)
		if (dt_agg_sweep(dt_consumer_agg_at(t->consumer, i)) != 0 && err == 0)
			err = dt_handle_error(h, EDT_NOMEM);
	return err;
}

/* ---- one element at a time ---- */

/* All elements that are there now, in the arena. */
static struct dt_aggdata **collect_elements(struct dtrace_hdl *h, struct dt_arena *arena, size_t *n)
{
	struct dt_consumer *c = h->trace->consumer;
	struct dt_aggdata **list;
	size_t max = 0;

	for (uint32_t i = 0; i < dt_consumer_naggs(c); i++)
		max += dt_consumer_agg_at(c, i)->n;
	list = DT_NEWN(arena, struct dt_aggdata *, max + 1);
	*n = 0;
	for (uint32_t i = 0; i < dt_consumer_naggs(c); i++) {
		struct dt_agg *agg = dt_consumer_agg_at(c, i);

		for (uint32_t k = 0; k < agg->n; k++)
			if (!agg->elem[k]->gone)
				list[(*n)++] = dt_aggdata_new(h, arena, agg, agg->elem[k], agg->elem[k]);
	}
	return list;
}

/*
 * One element at a time. `order` NULL: as the consumer has them. An element that a nested walk removes
 * meanwhile is skipped.
 */
static int walk_elements(struct dtrace_hdl *h, const struct order *order, dtrace_aggregate_f *f, void *arg)
{
	struct dt_trace *t = h->trace;
	struct dt_arena *arena;
	struct dt_aggdata **list;
	size_t n;
	int err = 0;

	if (t->consumer == NULL)
		return 0;
	arena = dt_arena_under(t->arena);
	list = collect_elements(h, arena, &n);
	if (order != NULL)
		qsort_r(list, n, sizeof(*list), by_order, (void *)order);
	t->h->doing.walking++;
	for (size_t i = 0; i < n && err == 0; i++)
		if (!list[i]->elem->gone)
			err = obey_caller(h, list[i], f(&list[i]->d, arg));
	err = end_walk(h, err);
	dt_arena_free(arena);
	return err;
}

/* The options decide at which key comparing begins, whatever the order. */
static int walk_by(struct dtrace_hdl *h, struct order order, dtrace_aggregate_f *f, void *arg)
{
	order.keypos = dt_trace_order(h).keypos;
	return walk_elements(h, &order, f, arg);
}

/* The order of the options aggsortkey and aggsortrev; by value without them. */
static int walk_sorted(struct dtrace_hdl *h, dtrace_aggregate_f *f, void *arg)
{
	struct dt_aggorder o = dt_trace_order(h);
	struct order order = { { BY_VARIABLE, BY_VALUE, BY_KEY }, o.reverse, 0 };

	if (o.bykey) {
		order.part[1] = BY_KEY;
		order.part[2] = BY_VALUE;
	}
	return walk_by(h, order, f, arg);
}

int dtrace_aggregate_walk(dtrace_hdl_t *h, dtrace_aggregate_f *f, void *arg)
{
	DT_PUBLIC(h, -1, walk_elements(h, NULL, f, arg));
}

int dtrace_aggregate_walk_sorted(dtrace_hdl_t *h, dtrace_aggregate_f *f, void *arg)
{
	DT_PUBLIC(h, -1, walk_sorted(h, f, arg));
}

#define ORDERED(name, first, second, third, reverse) \
	int dtrace_aggregate_walk_##name(dtrace_hdl_t *h, dtrace_aggregate_f *f, void *arg) \
	{ \
		struct order order = { { first, second, third }, reverse, 0 }; \
		DT_PUBLIC(h, -1, walk_by(h, order, f, arg)); \
	}
ORDERED(keysorted, BY_VARIABLE, BY_KEY, BY_VALUE, false)
ORDERED(valsorted, BY_VARIABLE, BY_VALUE, BY_KEY, false)
ORDERED(keyvarsorted, BY_KEY, BY_VARIABLE, BY_VALUE, false)
ORDERED(valvarsorted, BY_VALUE, BY_KEY, BY_VARIABLE, false)
ORDERED(keyrevsorted, BY_VARIABLE, BY_KEY, BY_VALUE, true)
ORDERED(valrevsorted, BY_VARIABLE, BY_VALUE, BY_KEY, true)
ORDERED(keyvarrevsorted, BY_KEY, BY_VARIABLE, BY_VALUE, true)
ORDERED(valvarrevsorted, BY_VALUE, BY_KEY, BY_VARIABLE, true)

/* ---- joined ---- */

/* The arguments of one joined walk. */
struct joining { const int64_t *ids; int n; dtrace_aggregate_walk_joined_f *f; void *arg; };

/* What the caller gets for one key: an element that has the key, then one of each aggregation. */
static struct dt_aggdata **bundle_of_row(struct dtrace_hdl *h, struct dt_arena *arena,
    const struct joining *j, const struct dt_aggrow *row)
{
	struct dt_aggdata **list = DT_NEWN(arena, struct dt_aggdata *, (size_t)j->n + 1);
	int first = 0;

	while (row->from[first] == NULL)
		first++;
	for (int i = 0; i < j->n; i++)
		list[i + 1] = dt_aggdata_new(h, arena,
		    dt_consumer_agg(h->trace->consumer, (uint32_t)j->ids[i]), row->from[i],
		    row->from[first]);
	list[0] = dt_aggdata_new(h, arena, list[first + 1]->agg, row->from[first], row->from[first]);
	return list;
}

/* What the caller says holds for all elements of the key; aggregations without one are left alone. */
static int obey_joined(struct dtrace_hdl *h, const struct joining *j, struct dt_aggdata **list, int says)
{
	int err = 0;

	if (says == DTRACE_AGGWALK_NEXT)
		return 0;
	for (int i = 1; i <= j->n && err == 0; i++)
		if (list[i]->elem != NULL)
			err = obey_caller(h, list[i], says);
	return err;
}

/* All bundles are made before the first call, since the caller may change the aggregations. */
static int walk_rows(struct dtrace_hdl *h, struct dt_arena *arena, const struct joining *j)
{
	struct dt_aggorder order = dt_trace_order(h);
	const dtrace_aggdata_t **given = DT_NEWN(arena, const dtrace_aggdata_t *, (size_t)j->n + 1);
	struct dt_aggdata ***lists;
	size_t n;
	struct dt_aggrow *rows = dt_trace_rows(h->trace, arena, j->ids, (uint32_t)j->n, &n);
	int err = 0;

	dt_agg_sort(rows, n, &order);
	lists = DT_NEWN(arena, struct dt_aggdata **, n + 1);
	for (size_t r = 0; r < n; r++)
		lists[r] = bundle_of_row(h, arena, j, &rows[r]);
	h->doing.walking++;
	for (size_t r = 0; r < n && err == 0; r++) {
		for (int i = 0; i <= j->n; i++)
			given[i] = &lists[r][i]->d;
		err = obey_joined(h, j, lists[r], j->f(given, j->n + 1, j->arg));
	}
	return end_walk(h, err);
}

/* Every number must be that of an aggregation (EDT_BADAGGVAR). */
static int walk_joined(struct dtrace_hdl *h, const struct joining *j)
{
	struct dt_trace *t = h->trace;
	struct dt_arena *arena;
	int err;

	if (j->n < 1)
		return dt_handle_error(h, EINVAL);
	for (int i = 0; i < j->n; i++)
		if (t->consumer == NULL || j->ids[i] < 0 || j->ids[i] > UINT32_MAX ||
		    dt_consumer_agg(t->consumer, (uint32_t)j->ids[i]) == NULL)
			return dt_handle_error(h, EDT_BADAGGVAR);
	arena = dt_arena_under(t->arena);
	err = walk_rows(h, arena, j);
	dt_arena_free(arena);
	return err;
}

int dtrace_aggregate_walk_joined(dtrace_hdl_t *h, dtrace_aggvarid_t *ids, int n,
    dtrace_aggregate_walk_joined_f *f, void *arg)
{
	struct joining j = { ids, n, f, arg };

	DT_PUBLIC(h, -1, walk_joined(h, &j));
}

/* ---- clear ---- */

static void clear_all(struct dtrace_hdl *h)
{
	struct dt_trace *t = h->trace;

	for (uint32_t i = 0; t->consumer != NULL && i < dt_consumer_naggs(t->consumer); i++)
		dt_agg_clear(t->consumer, dt_consumer_agg_at(t->consumer, i));
}

void dtrace_aggregate_clear(dtrace_hdl_t *h)
{
	DT_PUBLIC_VOID(h, clear_all(h));
}
