/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The elements of aggregations as rows of values, joined by key and sorted, for printa() and for what is
 * printed at the end. Rows point into the consumer's elements; they are valid until the next snapshot or,
 * from dt_trace_sorted(), until its next call.
 */
#include "trace/trace.h"

#include "output/unit.h"

struct dt_aggorder dt_trace_order(const struct dtrace_hdl *h)
{
	const struct dt_options *o = &h->options;
	struct dt_aggorder order = { .reverse = dt_options_on(o, DT_OPT_aggsortrev),
		.bykey = dt_options_on(o, DT_OPT_aggsortkey) };

	if (o->val[DT_OPT_aggsortkeypos] > 0)
		order.keypos = (uint32_t)o->val[DT_OPT_aggsortkeypos];
	if (o->val[DT_OPT_aggsortpos] > 0)
		order.pos = (uint32_t)o->val[DT_OPT_aggsortpos];
	return order;
}

/* Never NULL; the strings live as long as the trace. */
const char *dt_trace_part(const struct dt_trace *t, uint32_t id, unsigned part)
{
	const struct dt_probe *p = dt_probes_by_id(&t->h->probes, id);

	if (p == NULL)
		return "";
	switch (part) {
	case DT_PART_PROV: return p->prov;
	case DT_PART_MOD: return p->mod;
	case DT_PART_FUNC: return p->func;
	default: return p->name;
	}
}

/*
 * Keys such as probefunc are kept as numbers of probes, and several probes may have the same text: the first
 * that was seen with a text stands for all of them.
 */
uint32_t dt_trace_alike(void *ctx, uint32_t probe, unsigned part)
{
	struct dtrace_hdl *h = ctx;
	struct dt_map *map = &h->trace->alike[part & 3];
	const char *text = dt_trace_part(h->trace, probe, part);
	uintptr_t id = (uintptr_t)dt_map_get(map, text);

	if (id == 0) {
		id = probe;
		dt_map_put(map, text, (void *)id);
	}
	return (uint32_t)id;
}

/* Key k as a value that can be printed and compared: a probe's name becomes text. */
void dt_trace_key(const struct dt_trace *t, const struct dt_agg_elem *e, uint32_t k, struct dt_value *v)
{
	const uint8_t *part = e->layout->key_probe;

	dt_agg_key(e, k, v);
	if (part != NULL && part[k] != 0) {
		const char *text = dt_trace_part(t, (uint32_t)v->i, part[k] - 1u);

		*v = (struct dt_value){ .kind = DT_V_STRING, .bytes = text, .len = strlen(text) };
	}
}

static struct dt_value *keys_of(const struct dt_trace *t, struct dt_arena *arena, const struct dt_agg_elem *e)
{
	struct dt_value *v = DT_NEWN(arena, struct dt_value, e->layout->nkeys + 1);

	for (uint32_t k = 0; k < e->layout->nkeys; k++)
		dt_trace_key(t, e, k, &v[k]);
	return v;
}

static uint8_t unit_of(const struct dt_trace *t, const struct dt_agg *agg)
{
	return (uint8_t)dt_aggunit_of(t->popts.units, agg->layout->name, agg->layout->kind);
}

/* What an aggregation has for a key it never saw. */
static struct dt_value zero_of(const struct dt_trace *t, struct dt_arena *arena, const struct dt_agg *agg)
{
	int64_t *words = DT_NEWN(arena, int64_t, agg->layout->nwords + 1);

	if (dt_options_on(
	        &t->h->options, DT_OPT_aggmerge)) /* it must not change the others it is merged with */
		dt_aggfunc_of(agg->layout->kind)->init(words, agg->layout->arg);
	return (struct dt_value){ .kind = DT_V_AGG, .aggkind = agg->layout->kind, .aggarg = agg->layout->arg,
		.nwords = agg->layout->nwords, .words = words,
		.normal = agg->normal, .unit = unit_of(t, agg) };
}

/*
 * One key as text that is the same in every aggregation, however wide each keeps it. Strings carry their
 * length, so that a comma in one is not taken for the next key.
 */
static const char *one_key_text(const struct dt_trace *t, struct dt_arena *arena, const struct dt_agg_elem *e,
    uint32_t k)
{
	const struct dt_recfield *f = &e->layout->key[k];
	struct dt_value v;
	char *hex;

	dt_trace_key(t, e, k, &v);
	if (v.kind == DT_V_INT)
		return dt_arena_printf(arena, "%lld",
		    (long long)(v.is_signed ? dt_value_signed(&v) : dt_value_unsigned(&v)));
	if (v.kind == DT_V_STRING)
		return dt_arena_printf(arena, "%zu=%.*s", strnlen(v.bytes, v.len),
		    (int)strnlen(v.bytes, v.len), (const char *)v.bytes);
	hex = dt_arena_alloc(arena, (size_t)f->size * 2 + 1);
	for (uint32_t i = 0; i < f->size; i++)
		sprintf(hex + (size_t)i * 2, "%02x", e->key[f->off + i]);
	hex[(size_t)f->size * 2] = '\0';
	return hex;
}

/* All keys as one text, by which rows are joined. */
static const char *key_text(const struct dt_trace *t, struct dt_arena *arena, const struct dt_agg_elem *e)
{
	const char *text = "";

	for (uint32_t k = 0; k < e->layout->nkeys; k++)
		text = dt_arena_printf(arena, "%s,%s", text, one_key_text(t, arena, e, k));
	return text;
}

static struct dt_agg *agg_of(const struct dt_trace *t, int64_t id)
{
	return id >= 0 && id <= UINT32_MAX ? dt_consumer_agg(t->consumer, (uint32_t)id) : NULL;
}

/* A row of zeros for the keys of an element. */
static struct dt_aggrow new_row(const struct dt_trace *t, struct dt_arena *arena, const int64_t *ids,
    uint32_t nids, const struct dt_agg_elem *e)
{
	struct dt_value *vals = DT_NEWN(arena, struct dt_value, nids);

	for (uint32_t i = 0; i < nids && nids > 1; i++)
		if (agg_of(t, ids[i]) != NULL)
			vals[i] = zero_of(t, arena, agg_of(t, ids[i]));
	return (struct dt_aggrow){ keys_of(t, arena, e), e->layout->nkeys, vals, nids,
	    DT_NEWN(arena, void *, nids) };
}

/*
 * With one aggregation every element is a row; only several are joined, which costs a text for each key.
 * Elements that a walk has removed are left out.
 */
struct dt_aggrow *dt_trace_rows(const struct dt_trace *t, struct dt_arena *arena, const int64_t *ids,
    uint32_t nids, size_t *n)
{
	struct dt_aggrow *rows;
	struct dt_map seen;
	size_t max = 0;

	*n = 0;
	for (uint32_t i = 0; i < nids; i++)
		max += agg_of(t, ids[i]) != NULL ? agg_of(t, ids[i])->n : 0;
	rows = DT_NEWN(arena, struct dt_aggrow, max + 1);
	dt_map_init(&seen, arena);
	for (uint32_t i = 0; i < nids; i++) {
		struct dt_agg *agg = agg_of(t, ids[i]);

		for (uint32_t k = 0; agg != NULL && k < agg->n; k++) {
			const char *key = nids > 1 ? key_text(t, arena, agg->elem[k]) : NULL;
			struct dt_aggrow *row = key != NULL ? dt_map_get(&seen, key) : NULL;

			if (agg->elem[k]->gone)
				continue;
			if (row == NULL) {
				row = &rows[(*n)++];
				*row = new_row(t, arena, ids, nids, agg->elem[k]);
				if (key != NULL)
					dt_map_put(&seen, key, row);
			}
			dt_agg_value(agg, agg->elem[k], (struct dt_value *)&row->vals[i]);
			((struct dt_value *)&row->vals[i])->unit = unit_of(t, agg);
			row->from[i] = agg->elem[k];
		}
	}
	return rows;
}

/*
 * The rows before are freed here, not after printing, because printing uses them. The pointer is cleared
 * first: making the new arena may run out of memory.
 */
static void renew_text_arena(struct dt_trace *t)
{
	dt_arena_free(t->textarena);
	t->textarena = NULL;
	t->textarena = dt_arena_under(t->arena);
}

struct dt_aggrow *dt_trace_sorted(struct dtrace_hdl *h, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dt_aggorder order = dt_trace_order(h);
	struct dt_aggrow *rows;

	renew_text_arena(h->trace);
	dt_trace_terminal(h, h->trace);		/* its width may have changed */
	rows = dt_trace_rows(h->trace, h->trace->textarena, ids, nids, n);
	dt_agg_sort(rows, *n, &order);
	return rows;
}
