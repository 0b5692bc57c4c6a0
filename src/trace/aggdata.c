/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Elements of aggregations as callers of the library see them: one piece of memory that holds the
 * aggregation's number, the keys and the value, and a description (dtrace_aggdesc_t) of where each of them
 * lies. The consumer's own elements are laid out for counting: names of probes are numbers there, and
 * integers of several sizes share a field. Here everything is what the program said.
 *
 * Descriptions live as long as the trace, so callers may keep pointers to them. The elements themselves live
 * in the arena that the caller of dt_aggdata_new() gives.
 */
#include "trace/trace.h"

#include "dif/action.h"
#include "output/unit.h"

enum {
	NAME_SIZE = DTRACE_FUNCNAMELEN,		/* of a key that is a part of a probe's name */
	ID_SIZE = sizeof(uint64_t),		/* of what stands before the records: dtagd_id */
};

/* Elements whose keys have the same sizes share a description. */
struct dt_aggdesc {
	struct dt_aggdesc *next;
	const struct dt_agglayout *layout;
	dtrace_eprobedesc_t *edesc;
	dtrace_probedesc_t *pdesc;
	dtrace_aggdesc_t *desc;
};

/* Key k is a part of a probe's name: the consumer keeps the probe's number, callers get text. */
static bool is_name(const struct dt_agglayout *l, uint32_t k)
{
	return l->key_probe != NULL && l->key_probe[k] != 0;
}

/* The action that recorded key k of this element, and how many bytes the key has for callers. */
static const struct dt_act *key_act(const struct dt_trace *t, const struct dt_agg_elem *e, uint32_t k,
    uint32_t *size)
{
	const struct dt_act *act = dt_agg_keyact(e->layout, k, e->key, size);

	if (is_name(e->layout, k))
		*size = NAME_SIZE;
	else if (*size > 0 && dt_trace_is_string(act))
		*size = dt_trace_stringsize(t, *size);
	return act;
}

/* lquantize() and llquantize() have their parameters before their buckets. */
static bool has_parameter(const struct dt_agglayout *l)
{
	return dt_aggfunc_of(l->kind)->good != NULL;
}

/* ---- descriptions ---- */

/*
 * Whether a clause aggregates into this aggregation. The first action of a tuple holds the aggregation's
 * number.
 */
static bool aggregates(const struct dt_ecb *ecb, const struct dt_agglayout *l)
{
	for (uint32_t i = 0; i < ecb->nacts; i++) {
		const struct dt_act *a = &ecb->acts[i], *id = a - a->ntuple;

		if (DT_ACT_IS_AGG(a->kind) && a->ntuple > 0 && id->difo != NULL && id->difo->nints > 0 &&
		    id->difo->ints[0] == l->id)
			return true;
	}
	return false;
}

/* The first clause that aggregates it: history gives each aggregation one clause as its home. */
static uint32_t epid_of(const struct dt_trace *t, const struct dt_agglayout *l)
{
	for (size_t i = 0; i < t->enabled.n; i++)
		if (aggregates(t->enabled.v[i].ecb, l))
			return t->enabled.v[i].epid;
	return 1;
}

/* Appends a record after those that are described; values begin at multiples of 8 bytes. */
static void add_rec(dtrace_aggdesc_t *d, unsigned action, uint32_t size, uint64_t arg)
{
	dtrace_recdesc_t *r = &d->dtagd_rec[d->dtagd_nrecs++];

	*r = (dtrace_recdesc_t){ .dtrd_action = (dtrace_actkind_t)action, .dtrd_size = size,
		.dtrd_offset = d->dtagd_size,
		.dtrd_alignment = 8, .dtrd_arg = arg };
	if (size == 1 || size == 2 || size == 4)
		r->dtrd_alignment = (uint16_t)size;
	d->dtagd_size += (size + 7) & ~7u;
}

static void add_value(dtrace_aggdesc_t *d, const struct dt_agglayout *l)
{
	add_rec(d, l->kind, (l->nwords + has_parameter(l)) * (uint32_t)sizeof(int64_t), l->arg);
}

/*
 * Describes elements like `e`: the aggregation's number, the keys, the value, in this order. The first key is
 * at offset 16, as it always was: the word before the number holds the id of the description. The description
 * belongs to the trace, which finds it again for the next element of the same shape.
 */
static struct dt_aggdesc *new_desc(struct dt_trace *t, const struct dt_agg_elem *e)
{
	const struct dt_agglayout *l = e->layout;
	struct dt_aggdesc *a = DT_NEW(t->arena, struct dt_aggdesc);
	dtrace_aggdesc_t *d = dt_arena_alloc(t->arena,
	    sizeof(*d) + (l->nkeys + 1) * sizeof(dtrace_recdesc_t));

	a->layout = l;
	a->desc = d;
	a->edesc = dt_trace_edesc(t, epid_of(t, l));
	a->pdesc = DT_NEW(t->arena, dtrace_probedesc_t);
	if (a->edesc != NULL)
		dt_trace_describe(t, a->edesc->dtepd_probeid, a->pdesc);
	*d = (dtrace_aggdesc_t){ .dtagd_name = dt_arena_strdup(t->arena, l->name), .dtagd_varid = l->id,
		.dtagd_id = t->aggdescs != NULL ? t->aggdescs->desc->dtagd_id + 1 : 1,
		.dtagd_epid = epid_of(t, l), .dtagd_size = ID_SIZE };
	add_rec(d, DTRACEACT_DIFEXPR, sizeof(int64_t), 0);
	for (uint32_t k = 0; k < l->nkeys; k++) {
		uint32_t size;
		const struct dt_act *act = key_act(t, e, k, &size);

		add_rec(d, act->kind, size, act->arg);
	}
	add_value(d, l);
	a->next = t->aggdescs;
	t->aggdescs = a;
	return a;
}

/*
 * Whether a description fits the element: keys of one aggregation may differ in size (strings, printf-like
 * keys).
 */
static bool describes(const struct dt_trace *t, const struct dt_aggdesc *a, const struct dt_agg_elem *e)
{
	if (a->layout->id != e->layout->id)
		return false;
	for (uint32_t k = 0; k < e->layout->nkeys; k++) {
		uint32_t size;

		(void)key_act(t, e, k, &size);
		if (a->desc->dtagd_rec[k + 1].dtrd_size != size)
			return false;
	}
	return true;
}

/* The description of the element, made when there is none yet. */
static struct dt_aggdesc *desc_of(struct dt_trace *t, const struct dt_agg_elem *e)
{
	struct dt_aggdesc *a = t->aggdescs;

	while (a != NULL && !describes(t, a, e))
		a = a->next;
	return a != NULL ? a : new_desc(t, e);
}

/*
 * For a joined walk: the aggregation `l` has no element for these keys. The keys are described like those of
 * the aggregation that has them; only the name and the value are its own. It lives as long as the walk.
 */
static struct dt_aggdesc *desc_without_element(struct dt_arena *arena, const struct dt_agglayout *l,
    const struct dt_aggdesc *keys)
{
	struct dt_aggdesc *a = dt_arena_memdup(arena, keys, sizeof(*keys));
	dtrace_aggdesc_t *d = dt_arena_memdup(arena, keys->desc,
	    sizeof(*d) + (size_t)keys->desc->dtagd_nrecs * sizeof(*d->dtagd_rec));

	a->layout = l;
	a->desc = d;
	d->dtagd_name = dt_arena_strdup(arena, l->name);
	d->dtagd_varid = l->id;
	d->dtagd_nrecs--;
	d->dtagd_size = d->dtagd_rec[d->dtagd_nrecs].dtrd_offset;
	add_value(d, l);
	return a;
}

/* ---- data ---- */

/*
 * Copies the number and the keys to where the description says. Integers are copied as the consumer keeps
 * them.
 */
static void put_keys(struct dt_aggdata *a, const struct dt_agg_elem *e, const struct dt_value *keys)
{
	const dtrace_aggdesc_t *d = a->d.dtada_desc;

	memcpy(a->d.dtada_data, &d->dtagd_id, sizeof(d->dtagd_id));
	memcpy(a->d.dtada_data + ID_SIZE, &d->dtagd_varid, sizeof(d->dtagd_varid));
	for (uint32_t k = 0; k < e->layout->nkeys; k++) {
		const dtrace_recdesc_t *r = &d->dtagd_rec[k + 1];
		char *to = a->d.dtada_data + r->dtrd_offset;
		uint32_t size;

		if (is_name(e->layout, k))
			snprintf(to, r->dtrd_size, "%s", (const char *)keys[k].bytes);
		else if (dt_agg_keyact(e->layout, k, e->key, &size) != NULL)
			memcpy(to, e->key + e->layout->key[k].off, size);
	}
}

/*
 * Writes the value after the keys. Without an element the value is zero, as the arena's memory already is.
 */
static void put_value(const struct dt_trace *t, struct dt_aggdata *a)
{
	const struct dt_agglayout *l = a->agg->layout;
	const dtrace_aggdesc_t *d = a->d.dtada_desc;
	int64_t *words = (int64_t *)(void *)(a->d.dtada_data + d->dtagd_rec[d->dtagd_nrecs - 1].dtrd_offset);

	if (has_parameter(l))
		*words++ = (int64_t)l->arg;
	if (a->elem != NULL)
		memcpy(words, a->elem->data, l->nwords * sizeof(*words));
	a->val = (struct dt_value){ .kind = DT_V_AGG, .aggkind = l->kind, .aggarg = l->arg, .words = words,
		.nwords = l->nwords,
		.unit = (uint8_t)dt_aggunit_of(t->popts.units, l->name, l->kind),
		.normal = (int64_t)a->d.dtada_normal };
}

/* -x aggpercpu: the value on each CPU, as it stands in the element's own record; a NULL ends. */
static void put_cpus(struct dt_arena *arena, struct dt_aggdata *a)
{
	const struct dt_agglayout *l = a->agg->layout;
	uint32_t size = (l->nwords + has_parameter(l)) * (uint32_t)sizeof(int64_t);

	if (a->elem == NULL || a->elem->ncpus == 0)
		return;
	a->d.dtada_flags |= DTRACE_A_PERCPU;
	a->d.dtada_percpu = DT_NEWN(arena, char *, a->elem->ncpus + 1);
	for (uint32_t cpu = 0; cpu < a->elem->ncpus; cpu++) {
		int64_t *words = dt_arena_alloc(arena, size);

		a->d.dtada_percpu[cpu] = (char *)words;
		if (has_parameter(l))
			*words++ = (int64_t)l->arg;
		memcpy(words, a->elem->cpu_data + (size_t)cpu * l->nwords, l->nwords * sizeof(*words));
	}
}

/*
 * `keys` is an element that has the keys: `elem` itself, or one of another aggregation when `elem` is NULL.
 */
struct dt_aggdata *dt_aggdata_new(struct dtrace_hdl *h, struct dt_arena *arena, struct dt_agg *agg,
    struct dt_agg_elem *elem, const struct dt_agg_elem *keys)
{
	struct dt_aggdesc *desc = elem != NULL ? desc_of(h->trace, elem) :
	    desc_without_element(arena, agg->layout, desc_of(h->trace, keys));
	struct dt_aggdata *a = DT_NEW(arena, struct dt_aggdata);
	struct dt_value *values = DT_NEWN(arena, struct dt_value, keys->layout->nkeys + 1);

	for (uint32_t k = 0; k < keys->layout->nkeys; k++)
		dt_trace_key(h->trace, keys, k, &values[k]);
	a->agg = agg;
	a->elem = elem;
	desc->desc->dtagd_flags = agg->printed ? DTRACE_AGD_PRINTED : 0;
	a->d = (dtrace_aggdata_t){ .dtada_handle = h, .dtada_desc = desc->desc, .dtada_edesc = desc->edesc,
		.dtada_pdesc = desc->pdesc,
		.dtada_size = desc->desc->dtagd_size,
		.dtada_data = dt_arena_alloc(arena, desc->desc->dtagd_size),
		.dtada_normal = (uint64_t)(elem != NULL && elem->normal != 0 ? elem->normal : agg->normal) };
	put_keys(a, keys, values);
	put_value(h->trace, a);
	put_cpus(arena, a);
	a->from = elem;
	a->row = (struct dt_aggrow){ values, keys->layout->nkeys, &a->val, 1, &a->from };
	return a;
}
