/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of several handles and streams, merged: elements come in, one element for each aggregation
 * and key comes out, with the merge that its aggregating function has. Aggregations are the same if name,
 * function, parameters and number of keys are; keys if kind and text are, so that a stack is the same stack
 * on every host, wherever its code was loaded.
 */
#include "dif/action.h"
#include "handle/entry.h"
#include "trace/trace.h"

#include <errno.h>
#include <string.h>

struct merged {
	struct dt_aggdata a;
	int64_t *words;
	uint32_t nwords;
};

struct dtrace_aggset {
	dtrace_hdl_t *h;
	struct dt_arena *arena, *spare;	/* of the set; of the element in hand */
	struct dt_map elems;		/* what it is, as text -> struct merged */
	struct dt_map names;		/* of aggregations -> dtrace_aggdesc_t */
};

/* The text of a key, until the next element. */
static const char *key_text(dtrace_aggset_t *s, const struct dt_aggdata *e, int n)
{
	int len = dtrace_aggdata_keystr(&e->d, n, NULL, 0);
	char *text;

	if (len < 0)
		return "";
	text = dt_arena_alloc(s->spare, (size_t)len + 1);
	(void)dtrace_aggdata_keystr(&e->d, n, text, (size_t)len + 1);
	return text;
}

static dtrace_aggdesc_t *desc_of(dtrace_aggset_t *s, const char *what, const char *name)
{
	dtrace_aggdesc_t *d = dt_map_get(&s->names, what);

	if (d != NULL)
		return d;
	d = DT_NEW(s->arena, dtrace_aggdesc_t);
	d->dtagd_name = dt_arena_strdup(s->arena, name);
	d->dtagd_varid = (dtrace_aggvarid_t)s->names.n + 1;
	dt_map_put(&s->names, what, d);
	return d;
}

static struct dt_value copy_key(dtrace_aggset_t *s, const struct dt_value *v)
{
	struct dt_value copy = *v;

	if (v->kind == DT_V_STRING || v->kind == DT_V_BYTES)
		copy.bytes = v->bytes != NULL ? dt_arena_memdup(s->arena, v->bytes, v->len) : NULL;
	if (v->kind == DT_V_STACK || v->kind == DT_V_USTACK)
		copy.pcs = dt_arena_memdup(s->arena, v->pcs, v->npcs * sizeof(*v->pcs));
	return copy;
}

/* An element that has counted nothing yet. */
static struct merged *new_element(dtrace_aggset_t *s, const struct dt_aggdata *e, dtrace_aggdesc_t *desc,
    const char **texts)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(e->val.aggkind);
	struct merged *m = DT_NEW(s->arena, struct merged);
	struct dt_value *keys = DT_NEWN(s->arena, struct dt_value, e->row.nkeys + 1);
	const char **names = DT_NEWN(s->arena, const char *, e->row.nkeys + 1);

	for (uint32_t k = 0; k < e->row.nkeys; k++) {
		keys[k] = copy_key(s, &e->row.keys[k]);
		names[k] = dt_arena_strdup(s->arena, texts[k]);
	}
	m->nwords = f->nwords(e->val.aggarg);
	m->words = DT_NEWN(s->arena, int64_t, m->nwords + 1);
	f->init(m->words, e->val.aggarg);
	m->a.d = (dtrace_aggdata_t){ .dtada_handle = s->h, .dtada_desc = desc,
		.dtada_normal = e->d.dtada_normal };
	m->a.val = e->val;
	m->a.val.words = m->words;
	m->a.val.nwords = m->nwords;
	m->a.row = (struct dt_aggrow){ keys, e->row.nkeys, &m->a.val, 1, NULL };
	m->a.texts = names;
	return m;
}

/* A recording may be older than the last words of a function; those are 0. */
static void add_words(dtrace_aggset_t *s, struct merged *m, const struct dt_value *v)
{
	const int64_t *words = v->words;

	if (v->nwords < m->nwords) {
		int64_t *longer = DT_NEWN(s->spare, int64_t, m->nwords);

		memcpy(longer, words, v->nwords * sizeof(*words));
		words = longer;
	}
	dt_aggfunc_of(v->aggkind)->merge(m->words, v->aggarg, words);
}

/* What is not new costs no memory. */
static int merge_element(dtrace_aggset_t *s, const struct dt_aggdata *e)
{
	const char **texts, *name = e->d.dtada_desc->dtagd_name, *agg, *what;
	struct merged *m;

	dt_arena_reset(s->spare);
	texts = DT_NEWN(s->spare, const char *, e->row.nkeys + 1);
	agg = what = dt_arena_printf(s->spare, "%s %s %llx %u", dtrace_aggdata_function(&e->d), name,
	    (unsigned long long)e->val.aggarg, e->row.nkeys);
	for (uint32_t k = 0; k < e->row.nkeys; k++) {
		texts[k] = key_text(s, e, (int)k);
		what = dt_arena_printf(s->spare, "%s %d %zu %s", what, e->row.keys[k].kind, strlen(texts[k]),
		    texts[k]);
	}
	m = dt_map_get(&s->elems, what);
	if (m == NULL) {
		m = new_element(s, e, desc_of(s, agg, name), texts);
		dt_map_put(&s->elems, what, m);
	}
	add_words(s, m, &e->val);
	return 0;
}

static dtrace_aggset_t *new_set(dtrace_hdl_t *h)
{
	struct dt_arena *arena = dt_arena_under(h->arena);
	dtrace_aggset_t *s = DT_NEW(arena, dtrace_aggset_t);

	s->h = h;
	s->arena = arena;
	s->spare = dt_arena_under(arena);
	dt_map_init(&s->elems, arena);
	dt_map_init(&s->names, arena);
	return s;
}

static int walk_set(dtrace_aggset_t *s, dtrace_aggregate_f *f, void *arg)
{
	for (uint32_t i = 0; i < s->elems.n; i++) {
		const struct merged *m = s->elems.v[i].value;

		switch (f(&m->a.d, arg)) {
		case DTRACE_AGGWALK_NEXT: break;
		case DTRACE_AGGWALK_ERROR: return -1;
		case DTRACE_AGGWALK_ABORT: return dt_handle_error(s->h, EDT_DIRABORT);
		default: return dt_handle_error(s->h, EDT_BADRVAL);
		}
	}
	return 0;
}

dtrace_aggset_t *dtrace_aggset_create(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, NULL, new_set(h));
}

int dtrace_aggset_merge(const dtrace_aggdata_t *d, void *set)
{
	dtrace_aggset_t *s = set;

	DT_PUBLIC(s->h, DTRACE_AGGWALK_ERROR, merge_element(s, (const struct dt_aggdata *)d));
}

int dtrace_aggset_walk(dtrace_aggset_t *s, dtrace_aggregate_f *f, void *arg)
{
	DT_PUBLIC(s->h, -1, f != NULL ? walk_set(s, f, arg) : dt_handle_error(s->h, EINVAL));
}

void dtrace_aggset_destroy(dtrace_aggset_t *s)
{
	if (s != NULL)
		dt_arena_free(s->arena);
}
