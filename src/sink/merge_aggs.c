/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Elements of a merge: rows of sources are joined by their keys, whose addresses have become ours before, and
 * added by the function that merges those of CPUs. An address of a source is known by its name: the first
 * source that has a name keeps its address, which the others get; one without a name stays a number.
 */
#include "sink/merge_impl.h"

#include "sink/block.h"
#include "value/value_record.h"

#include <stdlib.h>

/* ---- addresses ---- */

bool merge_symbolize(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	struct dt_merge *m = ctx;
	const char *text;
	char key[48];

	snprintf(key, sizeof(key), "%u %llx", kind, (unsigned long long)addr);
	text = dt_map_get(&m->names, key);
	if (m->sink != NULL && m->sink->type->symbol != NULL)
		m->sink->type->symbol(m->sink, kind, pid, addr, text != NULL ? text : "");
	if (text == NULL)
		return false;
	snprintf(buf, len, "%s", text);
	return true;
}

/* Where the name is on our side: where it was first seen, or a free address. */
static uint64_t place_of(struct dt_merge *m, enum dt_symkind kind, uint64_t addr, const char *text)
{
	const char *what = dt_arena_printf(m->spare, "%u %s", kind, text);
	uint64_t *at = dt_map_get(&m->places, what);
	char key[48];

	if (at != NULL)
		return *at;
	snprintf(key, sizeof(key), "%u %llx", kind, (unsigned long long)addr);
	while (dt_map_get(&m->names, key) != NULL)
		snprintf(key, sizeof(key), "%u %llx", kind, (unsigned long long)++addr);
	at = DT_NEW(m->arena, uint64_t);
	*at = addr;
	dt_map_put(&m->places, what, at);
	dt_map_put(&m->names, key, dt_arena_strdup(m->arena, text));
	return addr;
}

static uint64_t translate(struct dt_merge_source *s, enum dt_symkind kind, uint32_t pid, uint64_t addr)
{
	char text[DT_FRAME_TEXT];

	if (addr == 0 || s->opts.symbolize == NULL ||
	    !s->opts.symbolize(s->opts.symctx, kind, pid, addr, text, sizeof(text)))
		return addr;
	dt_arena_reset(s->m->spare);
	return place_of(s->m, kind, addr, text);
}

static void translate_stack(struct dt_merge_source *s, const struct dt_value *v, uint64_t *pcs)
{
	for (uint32_t i = 0; i < v->npcs && v->pcs[i] != 0; i++)
		pcs[i] = translate(s, dt_frame_kind(v, i), v->pid, v->pcs[i]);
}

void merge_value(struct dt_merge_source *s, struct dt_arena *arena, struct dt_value *v)
{
	switch (v->kind) {
	case DT_V_STRING:
	case DT_V_BYTES:
		v->bytes = dt_arena_memdup(arena, v->bytes != NULL ? v->bytes : "", v->len);
		break;
	case DT_V_STACK:
	case DT_V_USTACK: {
		uint64_t *pcs = dt_arena_memdup(arena, v->pcs, v->npcs * sizeof(*pcs));

		translate_stack(s, v, pcs);
		v->pcs = pcs;
		v->pid = 0;
		break;
	}
	case DT_V_SYM: case DT_V_MOD: case DT_V_USYM: case DT_V_UMOD: case DT_V_UADDR:
		v->i = translate(s, (enum dt_symkind)(v->kind - DT_V_SYM + DT_SYM_KERNEL), v->pid, v->i);
		v->pid = 0;
		break;
	default: break;
	}
}

/* The bytes are a copy of ours. */
void merge_record(struct dt_merge_source *s, struct dt_rec *rec)
{
	uint64_t *at = (uint64_t *)(uintptr_t)rec->data;
	struct dt_value v;

	if (rec->len < 8 || DT_ACT_IS_AGG(rec->act->kind))
		return;
	dt_record_value(rec->act, rec->data, rec->len, &v);
	if (v.kind == DT_V_STACK || v.kind == DT_V_USTACK) {
		translate_stack(s, &v, (uint64_t *)(uintptr_t)v.pcs);
		if (v.kind == DT_V_USTACK)
			at[0] = 0;
	} else if (v.kind == DT_V_SYM || v.kind == DT_V_MOD) {
		at[0] = translate(s, v.kind == DT_V_SYM ? DT_SYM_KERNEL : DT_SYM_MODULE, 0, v.i);
	} else if (v.kind >= DT_V_USYM && v.kind <= DT_V_UADDR && rec->len >= 16) {
		at[1] = translate(s, (enum dt_symkind)(v.kind - DT_V_SYM + DT_SYM_KERNEL), v.pid, v.i);
		at[0] = 0;
	}
}

/* ---- rows ---- */

/* The functions' own words may be more than an old recording has; what it has not is as it begins. */
static void add_value(struct dt_arena *arena, struct dt_value *to, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(to->aggkind);
	int64_t *words = DT_NEWN(arena, int64_t, to->nwords + 1);

	f->init(words, to->aggarg);
	memcpy(words, v->words, (v->nwords < to->nwords ? v->nwords : to->nwords) * sizeof(*words));
	f->merge((int64_t *)(uintptr_t)to->words, to->aggarg, words);
}

static void begin_value(struct dt_arena *arena, struct dt_value *to, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	int64_t *words;

	*to = *v;
	to->nwords = f->nwords(v->aggarg);
	words = DT_NEWN(arena, int64_t, to->nwords + 1);
	f->init(words, to->aggarg);
	to->words = words;
}

static struct dt_aggrow new_row(
    struct dt_arena *arena, const struct dt_value *keys, const struct dt_aggrow *row)
{
	struct dt_value *vals = DT_NEWN(arena, struct dt_value, row->nvals + 1);

	for (uint32_t i = 0; i < row->nvals; i++)
		begin_value(arena, &vals[i], &row->vals[i]);
	return (struct dt_aggrow){ keys, row->nkeys, vals, row->nvals, NULL };
}

static bool same_functions(const struct dt_aggrow *a, const struct dt_aggrow *b)
{
	bool same = a->nvals == b->nvals && a->nkeys == b->nkeys;

	for (uint32_t i = 0; same && i < a->nvals; i++)
		same = a->vals[i].aggkind == b->vals[i].aggkind && a->vals[i].aggarg == b->vals[i].aggarg;
	return same;
}

/* Adds a row whose keys are ours already. */
static bool add_row(struct dt_arena *arena, struct merge_table *t, const struct dt_value *keys,
    const struct dt_aggrow *row)
{
	struct dt_out text;
	struct dt_key *k;
	bool fresh;

	dt_out_init(&text, NULL, NULL);
	for (uint32_t i = 0; i < row->nkeys; i++)
		dt_put_value(&text, &keys[i]);
	k = dt_keys_find(&t->keys, dt_out_text(&text), text.len, UINT32_MAX / 4, &fresh);
	dt_out_free(&text);
	if (k == NULL)
		dt_arena_lack(arena);
	if (fresh)
		dt_vec_push(arena, &t->rows, new_row(arena, keys, row));
	if (!same_functions(&t->rows.v[k->number], row))
		return false;
	for (uint32_t i = 0; i < row->nvals; i++)
		add_value(arena, (struct dt_value *)&t->rows.v[k->number].vals[i], &row->vals[i]);
	return true;
}

bool merge_rows(struct dt_merge_source *s, struct dt_arena *arena, struct merge_table *t,
    const struct dt_aggrow *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct dt_value *keys = dt_arena_memdup(arena, rows[i].keys, rows[i].nkeys * sizeof(*keys));

		for (uint32_t k = 0; k < rows[i].nkeys; k++)
			merge_value(s, arena, &keys[k]);
		if (!add_row(arena, t, keys, &rows[i]))
			return false;
	}
	return true;
}

/* Keys of another table may lie in an arena that ends before. */
static const struct dt_value *copy_keys(struct dt_arena *arena, const struct dt_aggrow *row)
{
	struct dt_value *keys = dt_arena_memdup(arena, row->keys, row->nkeys * sizeof(*keys));

	for (uint32_t k = 0; k < row->nkeys; k++) {
		if (keys[k].kind == DT_V_STRING || keys[k].kind == DT_V_BYTES)
			keys[k].bytes = dt_arena_memdup(arena, keys[k].bytes, keys[k].len);
		if (keys[k].kind == DT_V_STACK || keys[k].kind == DT_V_USTACK)
			keys[k].pcs = dt_arena_memdup(arena, keys[k].pcs, keys[k].npcs * sizeof(uint64_t));
	}
	return keys;
}

bool merge_tables(struct dt_merge *m, struct dt_arena *arena, struct merge_table *to,
    const struct merge_table *t)
{
	(void)m;
	for (size_t i = 0; i < t->rows.n; i++)
		if (!add_row(arena, to, copy_keys(arena, &t->rows.v[i]), &t->rows.v[i]))
			return false;
	return true;
}

/* ---- what is shown ---- */

static int by_value_and_keys(const void *a, const void *b)
{
	const struct dt_aggrow *x = a, *y = b;
	int c = dt_agg_cmp_value(&x->vals[0], &y->vals[0]);

	for (uint32_t k = 0; c == 0 && k < x->nkeys; k++)
		c = dt_agg_cmp_key(&x->keys[k], &y->keys[k]);
	return c;
}

/* Keeps the largest, or with a negative number the smallest, as dt_agg_trunc() does. */
static size_t cut_rows(struct dt_aggrow *rows, size_t n, int64_t keep)
{
	uint64_t most = keep < 0 ? -(uint64_t)keep : (uint64_t)keep;

	if (keep == 0 || most >= n)
		return n;
	qsort(rows, n, sizeof(*rows), by_value_and_keys);
	if (keep > 0)
		memmove(rows, rows + (n - most), most * sizeof(*rows));
	return most;
}

struct dt_aggrow *merge_sorted(struct dt_merge *m, struct merge_table *t, size_t *n)
{
	*n = t->rows.n;
	if (*n > 0 && t->nids == 1)
		*n = cut_rows(t->rows.v, *n, merge_agg_of(m, t->ids[0])->keep);
	if (*n > 0)
		dt_agg_sort(t->rows.v, *n, &m->order);
	return t->rows.v;
}

/* ---- aggregations ---- */

struct merge_agg *merge_agg_of(struct dt_merge *m, int64_t id)
{
	struct merge_agg *a;
	char key[32];

	snprintf(key, sizeof(key), "%lld", (long long)id);
	if ((a = dt_map_get(&m->aggs, key)) == NULL) {
		a = DT_NEW(m->arena, struct merge_agg);
		dt_map_put(&m->aggs, key, a);
	}
	return a;
}
