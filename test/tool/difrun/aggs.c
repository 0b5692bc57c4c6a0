/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of a run: a snapshot of the executor's elements in, sorted rows out. clear() and trunc()
 * change the words the executor keeps, so that it goes on from there.
 */
#include "run.h"

#include "dif/action.h"

static struct aggstate *aggstate(struct run *r, int64_t id)
{
	for (uint32_t i = 0; i < r->prog->naggs; i++)
		if (r->prog->aggs[i].id == id)
			return &r->aggs[i];
	return NULL;
}

static bool same_elem(const struct elem *a, const struct elem *b)
{
	return a->var == b->var && a->keylen == b->keylen && memcmp(a->key, b->key, a->keylen) == 0;
}

static const struct dt_aggfunc *func_of(const struct dt_aggvar *var)
{
	return dt_aggfunc_of(var->kind);
}

/* Whether the words are those of an element that has seen nothing. */
static bool untouched(struct run *r, const struct dt_aggvar *var, const int64_t *words, uint32_t n)
{
	const struct dt_aggfunc *f = func_of(var);
	int64_t *fresh = DT_NEWN(r->arena, int64_t, n + 1);

	if (f && f->nwords(var->arg) <= n)
		f->init(fresh, var->arg);
	return memcmp(fresh, words, n * sizeof(*words)) == 0;
}

static bool is_removed(struct run *r, const struct elem *e, uint32_t nwords)
{
	for (size_t i = 0; i < r->removed.n; i++)
		if (same_elem(&r->removed.v[i], e)) {
			if (untouched(r, e->var, e->live, nwords))
				return true;
			r->removed.v[i] = r->removed.v[--r->removed.n];
			return false;
		}
	return false;
}

static struct dt_value agg_value(struct run *r, const struct dt_aggvar *var, const int64_t *words, uint32_t n)
{
	struct aggstate *s = aggstate(r, var->id);

	return (struct dt_value){ .kind = DT_V_AGG, .aggkind = var->kind, .aggarg = var->arg, .nwords = n,
		.words = n ? dt_arena_memdup(r->arena, words, n * sizeof(*words)) : NULL,
		.normal = s ? s->normal : 1 };
}

static void add_elem(void *ctx, const struct dt_aggvar *var, const struct dt_interp_key *keys, uint32_t nkeys,
    const int64_t *data, uint32_t nwords)
{
	struct run *r = ctx;
	struct dt_value *v = DT_NEWN(r->arena, struct dt_value, nkeys + 1);
	struct elem e = { .var = var, .live = (int64_t *)data };
	char *key;

	for (uint32_t i = 0; i < nkeys; i++)
		e.keylen += keys[i].len;
	e.key = key = dt_arena_alloc(r->arena, e.keylen + 1);
	for (uint32_t i = 0; i < nkeys; i++) {
		void *copy = dt_arena_memdup(r->arena, keys[i].data, keys[i].len);
		dt_record_value(keys[i].act, copy, keys[i].len, &v[i]);
		memcpy(key, keys[i].data, keys[i].len);
		key += keys[i].len;
	}
	if (is_removed(r, &e, nwords))
		return;
	struct dt_value *val = DT_NEW(r->arena, struct dt_value);
	*val = agg_value(r, var, data, nwords);
	e.row = (struct dt_aggrow){ v, nkeys, val, 1, NULL };
	dt_vec_push(r->arena, &r->snap, e);
}

static void snapshot(struct run *r)
{
	r->snap.n = 0;
	if (r->kernel)
		kernel_aggs(r->kernel, add_elem, r);
	else
		dt_interp_aggs(r->interp, add_elem, r);
}

/* An option that is there is on, whatever its value. */
bool run_option_on(struct run *r, const char *name)
{
	dtrace_optval_t v;

	return dtrace_getopt(r->hdl, name, &v) == 0 && v != DTRACEOPT_UNSET;
}

static struct dt_aggorder order_of(struct run *r)
{
	struct dt_aggorder o = { 0 };
	dtrace_optval_t v;

	o.reverse = run_option_on(r, "aggsortrev");
	o.bykey = run_option_on(r, "aggsortkey");
	if (dtrace_getopt(r->hdl, "aggsortkeypos", &v) == 0 && v > 0)
		o.keypos = (uint32_t)v;
	if (dtrace_getopt(r->hdl, "aggsortpos", &v) == 0 && v > 0)
		o.pos = (uint32_t)v;
	return o;
}

/* The elements of one aggregation, sorted; the snapshot has to be fresh. */
static struct dt_aggrow *rows_of(struct run *r, int64_t id, size_t *n)
{
	struct dt_aggrow *rows = DT_NEWN(r->arena, struct dt_aggrow, r->snap.n + 1);
	struct dt_aggorder order = order_of(r);

	*n = 0;
	for (size_t i = 0; i < r->snap.n; i++)
		if (r->snap.v[i].var->id == id)
			rows[(*n)++] = r->snap.v[i].row;
	dt_agg_sort(rows, *n, &order);
	return rows;
}

static const struct dt_aggvar *var_of(struct run *r, int64_t id)
{
	for (uint32_t i = 0; i < r->prog->naggs; i++)
		if (r->prog->aggs[i].id == id)
			return &r->prog->aggs[i];
	return NULL;
}

static struct dt_value zero_value(struct run *r, int64_t id)
{
	const struct dt_aggvar *var = var_of(r, id);
	const struct dt_aggfunc *f = var ? func_of(var) : NULL;
	uint32_t n = f ? f->nwords(var->arg) : 0;

	if (!var)
		return (struct dt_value){ .kind = DT_V_AGG };
	return agg_value(r, var, DT_NEWN(r->arena, int64_t, n + 1), n);
}

/* Several aggregations side by side: every key of any of them, zero where one does not have it. */
static struct dt_aggrow *joined_rows(struct run *r, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dt_aggrow *rows = DT_NEWN(r->arena, struct dt_aggrow, r->snap.n + 1);
	const struct elem **first = DT_NEWN(r->arena, const struct elem *, r->snap.n + 1);
	struct dt_aggorder order = order_of(r);

	*n = 0;
	for (uint32_t k = 0; k < nids; k++)
		for (size_t i = 0; i < r->snap.n; i++) {
			const struct elem *e = &r->snap.v[i];
			size_t at = 0;

			if (e->var->id != ids[k])
				continue;
			while (at < *n && (first[at]->keylen != e->keylen ||
			    memcmp(first[at]->key, e->key, e->keylen) != 0))
				at++;
			if (at == *n) {
				struct dt_value *vals = DT_NEWN(r->arena, struct dt_value, nids);
				for (uint32_t z = 0; z < nids; z++)
					vals[z] = zero_value(r, ids[z]);
				first[at] = e;
				rows[(*n)++] = (struct dt_aggrow){ e->row.keys, e->row.nkeys, vals, nids,
					NULL };
			}
			((struct dt_value *)rows[at].vals)[k] = e->row.vals[0];
		}
	dt_agg_sort(rows, *n, &order);
	return rows;
}

/* printa(): the elements asked for, which count as printed. */
struct dt_aggrow *run_rows(void *ctx, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct run *r = ctx;
	struct aggstate *s;

	snapshot(r);
	for (uint32_t i = 0; i < nids; i++)
		if ((s = aggstate(r, ids[i])))
			s->printed = true;
	return nids == 1 ? rows_of(r, ids[0], n) : joined_rows(r, ids, nids, n);
}

void run_clear(void *ctx, int64_t id)
{
	struct run *r = ctx;

	snapshot(r);
	for (size_t i = 0; i < r->snap.n; i++) {
		struct elem *e = &r->snap.v[i];
		const struct dt_aggfunc *f = func_of(e->var);

		if (e->var->id == id && f)
			f->init(e->live, e->var->arg);
	}
}

/*
 * Keeps the n largest (n < 0: the smallest); what goes starts from nothing and is hidden until it counts
 * again.
 */
void run_trunc(void *ctx, int64_t id, int64_t n)
{
	struct run *r = ctx;
	struct dt_aggorder plain = { 0 };
	struct dt_aggrow *rows;
	size_t nrows = 0, from = 0, to;

	snapshot(r);
	rows = DT_NEWN(r->arena, struct dt_aggrow, r->snap.n + 1);
	for (size_t i = 0; i < r->snap.n; i++)
		if (r->snap.v[i].var->id == id)
			rows[nrows++] = r->snap.v[i].row;
	dt_agg_sort(rows, nrows, &plain);
	to = nrows;
	if (n > 0)
		to = (uint64_t)n < nrows ? nrows - (size_t)n : 0;
	else if (n < 0)
		from = (uint64_t)-n < nrows ? (size_t)-n : nrows;
	for (size_t k = from; k < to; k++)
		for (size_t i = 0; i < r->snap.n; i++) {
			struct elem *e = &r->snap.v[i];
			if (e->var->id != id || e->row.vals != rows[k].vals)
				continue;
			if (func_of(e->var))
				func_of(e->var)->init(e->live, e->var->arg);
			dt_vec_push(r->arena, &r->removed, *e);
		}
}

void run_normalize(void *ctx, int64_t id, int64_t normal)
{
	struct run *r = ctx;
	struct aggstate *s = aggstate(r, id);

	if (normal == 0)
		dt_out_str(&r->out, "dtrace: normalization by zero\n");
	else if (s)
		s->normal = normal;
}

void run_print_rest(struct run *r)
{
	bool any = false;

	snapshot(r);
	for (uint32_t k = 0; k < r->prog->naggs; k++) {
		uint32_t i = order_of(r).reverse ? r->prog->naggs - 1 - k : k;
		size_t n;
		struct dt_aggrow *rows = rows_of(r, r->prog->aggs[i].id, &n);

		if (r->aggs[i].printed || n == 0)
			continue;
		if (!any)
			dt_out_str(&r->out, "\n");
		any = true;
		dt_agg_print(&r->out, rows, n);
	}
}
