/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations as the consumer keeps them. A snapshot takes over the kernel's whole buffer and adds it to
 * what is here, so each update is counted once whatever clear(), trunc() and printa() do in between. What
 * was added after the moment of a printa() waits until its record has been read.
 */
#include "consume/state.h"

#include "base/hash.h"
#include "dif/action.h"
#include "engine/engine.h"
#include "value/value_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct dt_agg_table *dt_agg_tables_new(const struct dt_layouts *layouts)
{
	struct dt_agg_table *t = calloc(layouts->naggs + 1u, sizeof(*t));

	for (uint32_t i = 0; i < layouts->naggs && t != NULL; i++) {
		t[i].agg.layout = &layouts->aggs[i];
		t[i].agg.normal = 1;
	}
	return t;
}

int dt_aggs_init(struct dt_aggs *a, const struct dt_layouts *layouts)
{
	uint32_t words = 0, key = 0;

	a->layouts = layouts;
	a->n = layouts->naggs;
	if ((a->table = dt_agg_tables_new(layouts)) == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < a->n; i++) {
		words = layouts->aggs[i].nwords > words ? layouts->aggs[i].nwords : words;
		key = layouts->aggs[i].keysize > key ? layouts->aggs[i].keysize : key;
	}
	a->words = calloc(words + 1u, sizeof(*a->words));
	a->folded = malloc(key + 1u);
	return a->words != NULL && a->folded != NULL ? 0 : -ENOMEM;
}

static void free_held(struct dt_aggs *);

static void free_elems(struct dt_agg_table *t)
{
	for (uint32_t i = 0; i < t->agg.n; i++)
		free(t->agg.elem[i]);
	t->agg.n = 0;
}

void dt_agg_tables_free(struct dt_agg_table *t, uint32_t n)
{
	for (uint32_t i = 0; i < n && t != NULL; i++) {
		free_elems(&t[i]);
		free(t[i].agg.elem);
		free(t[i].bucket);
	}
	free(t);
}

void dt_aggs_free(struct dt_aggs *a)
{
	dt_agg_tables_free(a->table, a->n);
	dt_agg_tables_free(a->since, a->n);
	free(a->words);
	free(a->folded);
	free_held(a);
}

/* ---- keys ---- */

/* Open addressing: buckets hold an element's index + 1, and 0 ends a search. Keys are compared as bytes. */
static void link_elem(struct dt_agg_table *t, uint32_t i)
{
	uint32_t b = dt_hash_bytes(DT_HASH_START, t->agg.elem[i]->key, t->agg.layout->keysize) % t->nbuckets;

	while (t->bucket[b] != 0)
		b = (b + 1) % t->nbuckets;
	t->bucket[b] = i + 1;
}

/*
 * Grows the index. It is at most half full, so searches stay short. When memory runs out the old index
 * stays, and is still right.
 */
static int rehash(struct dt_agg_table *t, uint32_t nbuckets)
{
	uint32_t *bucket = calloc(nbuckets, sizeof(*bucket));

	if (bucket == NULL)
		return -ENOMEM;
	free(t->bucket);
	t->bucket = bucket;
	t->nbuckets = nbuckets;
	for (uint32_t i = 0; i < t->agg.n; i++)
		link_elem(t, i);
	return 0;
}

/* NULL: the key is new. */
static struct dt_agg_elem *find_elem(const struct dt_agg_table *t, const uint8_t *key)
{
	uint32_t size = t->agg.layout->keysize;

	if (t->nbuckets == 0)
		return NULL;
	for (uint32_t b = dt_hash_bytes(DT_HASH_START, key, size) % t->nbuckets; t->bucket[b] != 0;
	     b = (b + 1) % t->nbuckets)
		if (memcmp(t->agg.elem[t->bucket[b] - 1]->key, key, size) == 0)
			return t->agg.elem[t->bucket[b] - 1];
	return NULL;
}

static const struct dt_aggfunc *agg_func(const struct dt_agglayout *l)
{
	return dt_aggfunc_of(l->kind);
}

/* One allocation for the element, its words, those of each CPU, the key, and which CPUs have been seen. */
static struct dt_agg_elem *new_elem(const struct dt_agglayout *l, const uint8_t *key, uint32_t ncpus)
{
	struct dt_agg_elem *e = calloc(1, sizeof(*e) + (1 + (size_t)ncpus) * l->nwords * sizeof(int64_t) +
	    l->keysize + ncpus);
	uint8_t *bytes;

	if (e == NULL)
		return NULL;
	e->layout = l;
	e->data = (int64_t *)(e + 1);
	e->cpu_data = e->data + l->nwords;
	e->ncpus = ncpus;
	bytes = (uint8_t *)(e->cpu_data + (size_t)ncpus * l->nwords);
	e->key = memcpy(bytes, key, l->keysize);
	e->cpu_seen = bytes + l->keysize;
	agg_func(l)->init(e->data, l->arg);
	return e;
}

/* NULL: out of memory. */
static struct dt_agg_elem *add_elem(struct dt_agg_table *t, const uint8_t *key, uint32_t ncpus)
{
	struct dt_agg_elem *e;

	if (t->agg.n == t->cap) {
		uint32_t cap = t->cap != 0 ? t->cap * 2 : 64;
		struct dt_agg_elem **more = realloc(t->agg.elem, cap * sizeof(*more));

		if (more == NULL)
			return NULL;
		t->agg.elem = more;
		t->cap = cap;
	}
	if ((t->agg.n + 1) * 2 > t->nbuckets && rehash(t, t->nbuckets != 0 ? t->nbuckets * 2 : 128) != 0)
		return NULL;
	e = new_elem(t->agg.layout, key, ncpus);
	if (e == NULL)
		return NULL;
	t->agg.elem[t->agg.n] = e;
	link_elem(t, t->agg.n++);
	return e;
}

/* ---- merging ---- */

/* One snapshot; key is a copy to be folded, or NULL; ncpus: of an element's values by CPU. */
struct take {
	struct dt_agg_table *t;
	int64_t *words;
	uint8_t *key;
	const struct dt_consumer_ops *ops;
	uint32_t ncpus;
};

/* Whether a key is a name of the probe (probefunc …), which the kernel records as the probe's id. */
static bool is_name(const struct dt_agglayout *l, uint32_t k)
{
	return l->key_probe != NULL && l->key_probe[k] != 0;
}

/*
 * Whether different keys of the kernel may be one key here. sym(), usym() and the modules have one
 * element for all addresses in a function or module, and are resolved while their processes may still
 * live. probefunc and the like have one element for all probes of that name. Unless -x mergestacks is off,
 * stacks and addresses have one for all that are shown as the same text.
 */
static bool has_folded_keys(const struct dt_consumer_ops *ops, const struct dt_agglayout *l)
{
	for (uint32_t k = 0; k < l->nkeys; k++) {
		if (is_name(l, k) || dt_act_is(l->key_act[k], DT_AF_FOLDS) ||
		    (ops->merge != NULL && dt_act_is(l->key_act[k], DT_AF_NAMED)))
			return true;
	}
	return false;
}

/* One probe stands for all that have the same name. */
static void fold_name(const struct take *take, uint32_t k)
{
	const struct dt_agglayout *l = take->t->agg.layout;
	uint32_t id;

	memcpy(&id, take->key + l->key[k].off, sizeof(id));
	id = take->ops->alike(take->ops->ctx, id, l->key_probe[k] - 1u);
	memcpy(take->key + l->key[k].off, &id, sizeof(id));
}

/* An address becomes that of its function or module. The address is the last of the recorded words. */
static void fold_address(const struct take *take, struct dt_value *v, uint8_t *bytes, uint32_t size)
{
	if (v->kind != DT_V_SYM && v->kind != DT_V_MOD && v->kind != DT_V_USYM && v->kind != DT_V_UMOD)
		return;
	v->i = take->ops->fold(take->ops->ctx, v);
	if (size >= sizeof(v->i))
		memcpy(bytes + (size >= 16 ? 8 : 0), &v->i, sizeof(v->i));
}

/* An address or a stack: see dt_consumer_ops. */
static void fold_value(const struct take *take, uint32_t k)
{
	const struct dt_agglayout *l = take->t->agg.layout;
	uint8_t *bytes = take->key + l->key[k].off;
	struct dt_value v;

	if (!dt_act_is(l->key_act[k], DT_AF_NAMED))
		return;
	dt_record_value(l->key_act[k], bytes, l->key[k].size, &v);
	fold_address(take, &v, bytes, l->key[k].size);
	if (take->ops->merge != NULL)
		take->ops->merge(take->ops->ctx, &v, bytes, l->key[k].size);
}

/* The key that an element has here. The result is the caller's key, or take->key until the next call. */
static const void *fold_key(const struct take *take, const void *key)
{
	const struct dt_agglayout *l = take->t->agg.layout;

	if (take->key == NULL)
		return key;
	memcpy(take->key, key, l->keysize);
	for (uint32_t k = 0; k < l->nkeys; k++) {
		if (is_name(l, k))
			fold_name(take, k);
		else
			fold_value(take, k);
	}
	return take->key;
}

static void merge_cpu(struct dt_agg_elem *e, uint32_t cpu, const int64_t *words)
{
	const struct dt_agglayout *l = e->layout;
	int64_t *data = e->cpu_data + (size_t)cpu * l->nwords;

	if (cpu >= e->ncpus)
		return;
	if (!e->cpu_seen[cpu])
		agg_func(l)->init(data, l->arg);
	e->cpu_seen[cpu] = 1;
	agg_func(l)->merge(data, l->arg, words);
}

/*
 * Merges a part: one set of words for each CPU. The element is made only when some CPU has seen the key, so
 * a cell does not make elements of zeros.
 */
static int merge_part(const struct take *take, const struct dt_aggcell *part)
{
	const struct dt_agglayout *l = take->t->agg.layout;
	struct dt_agg_elem *e = NULL;

	for (uint32_t cpu = 0; cpu < part->ncpus; cpu++) {
		if (!dt_agg_decode(l, part->words + (size_t)cpu * part->stride, take->words))
			continue;
		if (e == NULL) {
			const void *one = fold_key(take, part->key);

			if ((e = find_elem(take->t, one)) == NULL &&
			    (e = add_elem(take->t, one, take->ncpus)) == NULL)
				return -ENOMEM;
		}
		agg_func(l)->merge(e->data, l->arg, take->words);
		merge_cpu(e, part->cpu + cpu, take->words);
	}
	return 0;
}

static int merge_into(struct dt_aggs *a, const struct dt_aggcell *part)
{
	const struct dt_agglayout *l = &a->layouts->aggs[part->agg];
	bool folded = a->ops->fold != NULL && has_folded_keys(a->ops, l);
	struct take take = { &a->table[part->agg], a->words, folded ? a->folded : NULL, a->ops, a->ncpus };
	int err = merge_part(&take, part);

	if (err != 0 || a->since == NULL)
		return err;
	take.t = &a->since[part->agg];
	return merge_part(&take, part);
}

/* ---- generations that wait ---- */

/* Behind it are the key and the words, of each CPU in turn. */
struct held { struct held *next; struct dt_aggcell part; };

static bool part_is_empty(const struct dt_agglayout *l, const struct dt_aggcell *part)
{
	for (uint32_t cpu = 0; cpu < part->ncpus; cpu++)
		if (part->words[(size_t)cpu * part->stride + l->seen] != 0)
			return false;
	return true;
}

static struct held *copy_part(const struct dt_agglayout *l, const struct dt_aggcell *part)
{
	size_t bytes = (size_t)part->ncpus * l->cpuwords * sizeof(int64_t);
	struct held *h = malloc(sizeof(*h) + bytes + l->keysize);
	int64_t *words;

	if (h == NULL)
		return NULL;
	words = (int64_t *)(h + 1);
	h->part = *part;
	h->part.words = words;
	h->part.stride = l->cpuwords;
	for (uint32_t cpu = 0; cpu < part->ncpus; cpu++, words += l->cpuwords)
		memcpy(words, part->words + (size_t)cpu * part->stride, l->cpuwords * sizeof(*words));
	h->part.key = memcpy(words, part->key, l->keysize);
	return h;
}

/* held[i] is the list of generation applied + 1 + i. */
static int hold_part(struct dt_aggs *a, const struct dt_aggcell *part)
{
	uint64_t i = part->gen - a->applied - 1;
	struct held *h;

	if (part_is_empty(&a->layouts->aggs[part->agg], part))
		return 0;
	if (i >= a->nheld) {
		struct held **more = realloc(a->held, (i + 1) * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		memset(more + a->nheld, 0, (i + 1 - a->nheld) * sizeof(*more));
		a->held = more;
		a->nheld = i + 1;
	}
	h = copy_part(&a->layouts->aggs[part->agg], part);
	if (h == NULL)
		return -ENOMEM;
	h->next = a->held[i];
	a->held[i] = h;
	return 0;
}

/* Merges what waits, up to that generation. */
static int apply(struct dt_aggs *a, uint64_t gen)
{
	uint64_t n = gen > a->applied ? gen - a->applied : 0, done = n < a->nheld ? n : a->nheld;
	int err = 0;

	for (uint64_t i = 0; i < done; i++)
		for (struct held *h = a->held[i], *next; h != NULL; h = next) {
			next = h->next;
			err = err != 0 ? err : merge_into(a, &h->part);
			free(h);
		}
	if (done > 0)
		memmove(a->held, a->held + done, (a->nheld - done) * sizeof(*a->held));
	a->nheld -= done;
	a->applied += n;
	return err;
}

static void free_held(struct dt_aggs *a)
{
	for (uint64_t i = 0; i < a->nheld; i++)
		for (struct held *h = a->held[i], *next; h != NULL; h = next) {
			next = h->next;
			free(h);
		}
	free(a->held);
}

/* No record that was not read yet means an earlier generation than the first that is not applied. */
static int take_part(void *ctx, const struct dt_aggcell *part)
{
	struct dt_aggs *a = ctx;

	return a->wait && part->gen > a->applied + 1 ? hold_part(a, part) : merge_into(a, part);
}

/* ---- snapshots ---- */

/*
 * Takes over what was added up to now. wait: there may be records that mean a moment before; what came after
 * such a moment waits for dt_consumer_moment().
 */
static int take(struct dt_consumer *c, bool wait)
{
	struct dt_aggs *a = dt_consumer_aggs(c);
	int err;

	if (a->n == 0)
		return 0;
	a->wait = wait && a->keeps;
	err = dt_consumer_engine(c)->ops->take(dt_consumer_engine(c), &a->taken, take_part, a);
	return err != 0 || a->wait ? err : apply(a, a->taken.gen);
}

int dt_consumer_take(struct dt_consumer *c, uint64_t *gen, uint64_t *time)
{
	int err = take(c, true);

	*gen = dt_consumer_aggs(c)->taken.gen;
	*time = dt_consumer_aggs(c)->taken.time;
	return err;
}

bool dt_consumer_moments(struct dt_consumer *c)
{
	struct dt_aggs *a = dt_consumer_aggs(c);
	const struct dt_engine *e = dt_consumer_engine(c);

	return a->keeps && (a->applied < a->taken.gen || e->ops->moments(e));
}

/* Aggregations become what they were at that moment, if they are not beyond it. */
int dt_consumer_moment(struct dt_consumer *c, uint64_t moment)
{
	struct dt_aggs *a = dt_consumer_aggs(c);
	int err = moment > a->taken.gen ? take(c, true) : 0;

	return err != 0 ? err : apply(a, moment < a->taken.gen ? moment : a->taken.gen);
}

/*
 * Where a program has closed a generation, its record must be read first: until then aggregations stay as
 * they were at the last moment that was read.
 */
int dt_consumer_snap(struct dt_consumer *c)
{
	return take(c, dt_consumer_moments(c));
}

/* ---- what actions do ---- */

struct dt_agg *dt_consumer_agg(struct dt_consumer *c, uint32_t id)
{
	struct dt_aggs *a = dt_consumer_aggs(c);

	for (uint32_t i = 0; i < a->n; i++)
		if (a->table[i].agg.layout->id == id)
			return &a->table[i].agg;
	return NULL;
}

uint32_t dt_consumer_naggs(struct dt_consumer *c)
{
	return dt_consumer_aggs(c)->n;
}

struct dt_agg *dt_consumer_agg_at(struct dt_consumer *c, uint32_t i)
{
	return &dt_consumer_aggs(c)->table[i].agg;
}

/* clear() keeps the keys: they are shown with the values of an element that has seen nothing. */
void dt_agg_clear_elem(struct dt_agg_elem *e)
{
	agg_func(e->layout)->init(e->data, e->layout->arg);
	memset(e->cpu_data, 0, (size_t)e->ncpus * e->layout->nwords * sizeof(*e->cpu_data));
	memset(e->cpu_seen, 0, e->ncpus);
}

void dt_agg_clear(struct dt_consumer *c, struct dt_agg *agg)
{
	(void)c;
	for (uint32_t i = 0; i < agg->n; i++)
		dt_agg_clear_elem(agg->elem[i]);
}

/* normalize() of the whole aggregation overrides what was set for single elements. */
void dt_agg_normal(struct dt_agg *agg, int64_t normal)
{
	agg->normal = normal;
	for (uint32_t i = 0; i < agg->n; i++)
		agg->elem[i]->normal = 0;
}

/* Removes the elements with drop[i] set and builds the index again. */
static void remove_elems(struct dt_agg_table *t, const bool *drop)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->agg.n; i++) {
		if (drop[i])
			free(t->agg.elem[i]);
		else
			t->agg.elem[kept++] = t->agg.elem[i];
	}
	t->agg.n = kept;
	memset(t->bucket, 0, t->nbuckets * sizeof(*t->bucket));
	for (uint32_t i = 0; i < kept; i++)
		link_elem(t, i);
}

/* Elements are marked as gone during a walk and removed after it, as removing moves the others. */
int dt_agg_sweep(struct dt_agg *agg)
{
	bool any = false, *drop;

	for (uint32_t i = 0; i < agg->n; i++)
		any |= agg->elem[i]->gone;
	if (!any)
		return 0;
	drop = calloc(agg->n, sizeof(*drop));
	if (drop == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < agg->n; i++)
		drop[i] = agg->elem[i]->gone;
	remove_elems((struct dt_agg_table *)agg, drop);
	free(drop);
	return 0;
}

struct ranking { dt_agg_cmp_f *cmp; void *ctx; const struct dt_agg *agg; };

/* Ranks indices, not elements: the elements stay where they are until it is known which go. */
static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct ranking *r = ctx;

	return r->cmp(r->ctx, r->agg, r->agg->elem[*(const uint32_t *)a], r->agg->elem[*(const uint32_t *)b]);
}

/* Keeps the n largest, or the -n smallest; n == 0 removes all. */
int dt_agg_trunc(struct dt_agg *agg, int64_t n, dt_agg_cmp_f *cmp, void *ctx)
{
	struct dt_agg_table *t = (struct dt_agg_table *)agg;	/* its first member */
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	struct ranking ranking = { cmp, ctx, agg };
	uint32_t *rank;
	bool *drop;

	if (agg->n == 0 || (n != 0 && keep >= agg->n))
		return 0;
	rank = calloc(agg->n, sizeof(*rank));
	drop = calloc(agg->n, sizeof(*drop));
	for (uint32_t i = 0; rank != NULL && drop != NULL && i < agg->n; i++) {
		rank[i] = i;
		drop[i] = true;
	}
	if (rank != NULL && drop != NULL) {
		qsort_r(rank, agg->n, sizeof(*rank), by_rank, &ranking);
		for (uint64_t k = 0; k < keep; k++)
			drop[rank[n > 0 ? agg->n - 1 - k : k]] = false;
		remove_elems(t, drop);
	}
	free(rank);
	free(drop);
	return rank != NULL && drop != NULL ? 0 : -ENOMEM;
}

void dt_agg_key(const struct dt_agg_elem *e, uint32_t k, struct dt_value *v)
{
	const struct dt_agglayout *l = e->layout;
	uint32_t len;

	if (is_name(l, k)) {	/* a probe id: the caller knows the names */
		uint32_t id;

		memcpy(&id, e->key + l->key[k].off, sizeof(id));
		*v = (struct dt_value){ .kind = DT_V_INT, .size = 4, .i = id };
		return;
	}
	const struct dt_act *act = dt_agg_keyact(l, k, e->key, &len);

	dt_record_value(act, e->key + l->key[k].off, len, v);
}

void dt_agg_value(const struct dt_agg *agg, const struct dt_agg_elem *e, struct dt_value *v)
{
	*v = (struct dt_value){
		.kind = DT_V_AGG, .aggkind = agg->layout->kind, .aggarg = agg->layout->arg, .words = e->data,
		.nwords = agg->layout->nwords, .normal = e->normal != 0 ? e->normal : agg->normal,
	};
}
