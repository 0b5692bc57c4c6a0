/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations before any code: every use of each comes in, out come the layout of its keys and the maps
 * that hold its words. Aggregations without keys share arrays whose elements are generations ("cells"). One
 * with keys has two hashes, of which the side of the generation selects one; where a program has very many,
 * those of the same shape share them.
 */
#include "bpf/build.h"
#include "bpf/context.h"
#include "dif/action.h"

#define KEY_SLOT_MAX 0x4000u
#define LARGE_SIZE 2048			/* the kernel has few elements at hand that are larger */
#define AHEAD_MAX (64u << 20)		/* bytes allocated at the start, twice, for an aggregation … */
#define AHEAD_SMALL_MAX (16u << 20)	/* … whose elements are small */
#define AHEAD_TOTAL_MAX (256u << 20)	/* and for all */
#define CELL_MAX (32u << 10)		/* the kernel's limit for a value of a per-CPU array */
#define CELLS_SIZE_MAX (2u << 20)	/* of all cells of a map, on all CPUs, unless 8 of them need more */
#define CELLS_MAX 256
#define CELLS_MIN 8
#define PROBE_GENERATIONS 8		/* for which elements are made ahead, as far as AHEAD_MAX allows */
#define SEPARATE_MAX 32			/* aggregations with keys that have maps of their own */

/* *probe: the key is a part of the probe's name, from 1, and is kept as the probe's number, 4 bytes. */
uint32_t dt_agg_key_size(struct dt_build *b, const struct dt_act *act, uint8_t *probe)
{
	struct dt_known k = dt_difo_simple(act->difo);

	*probe = 0;
	if (act->kind == DT_ACT_DIFEXPR && k.kind == V_PART) {
		*probe = (uint8_t)(1 + k.v);
		return 4;
	}
	return dt_field_size(b, act);
}

/* The index of an integer's size, 0 to 3; -1: the key is no integer. */
static int int_size(const struct dt_act *act, uint32_t size)
{
	const struct dt_diftype *t = act->kind == DT_ACT_DIFEXPR && act->difo ? &act->difo->rtype : NULL;

	if (!t || t->kind == DT_DT_STRING || (t->flags & (DT_DTF_REF | DT_DTF_USERREF)))
		return -1;
	return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
}

static bool only_probes(const struct dt_agglayout *o)
{
	for (uint32_t i = 0; i < o->nkeys; i++)
		if (!o->key_probe[i])
			return false;
	return o->nkeys > 0;
}

/*
 * One use of an aggregation: each field becomes at least as wide as its key here. A probe's name stays a
 * number only if all uses have that name there; else it is a string. The arrays are const to readers of the
 * layout.
 */
static void widen_keys(struct dt_build *b, struct dt_bagg *agg, const struct dt_act *keys)
{
	struct dt_agglayout *o = agg->layout;
	struct dt_recfield *f = (struct dt_recfield *)o->key;

	for (uint32_t i = 0; i < o->nkeys; i++) {
		uint8_t probe;
		uint32_t size = dt_agg_key_size(b, &keys[i], &probe);
		int n = int_size(&keys[i], size);

		if (n >= 0 && !probe && !o->key_int[i][n])
			o->key_int[i][n] = &keys[i];
		if (o->key_act[i] && o->key_probe[i] != probe) {
			size = o->key_probe[i] ? size : b->opts->strsize;
			if (f[i].size < b->opts->strsize)
				f[i].size = b->opts->strsize;
			probe = 0;
		}
		o->key_probe[i] = probe;
		if (size > f[i].size)
			f[i].size = size;
		if (!o->key_act[i] || keys[i].difo == NULL || size == f[i].size)
			((const struct dt_act **)o->key_act)[i] = &keys[i];
	}
}

/* The first entry of the tuple is the aggregation's number, which the compiler makes a constant. */
static void note_use(struct dt_build *b, const struct dt_act *act)
{
	const struct dt_act *tuple = act - act->ntuple;
	struct dt_known id = act->ntuple ? dt_difo_simple(tuple[0].difo) : (struct dt_known){ 0 };
	struct dt_bagg *agg = id.kind == V_CONST ? dt_bagg_find(b, id.v) : NULL;
	struct dt_agglayout *o = agg ? agg->layout : NULL;

	if (!o || o->kind != act->kind || act->ntuple < 1 + o->nkeys)
		dt_refuse(b, act->loc, "this aggregation is not declared by the program");
	if (!o->key) {
		o->key = DT_NEWN(b->arena, struct dt_recfield, o->nkeys + 1);
		o->key_act = DT_NEWN(b->arena, const struct dt_act *, o->nkeys + 1);
		o->key_probe = DT_NEWN(b->arena, uint8_t, o->nkeys + 1);
		o->key_int = dt_arena_alloc(b->arena, (o->nkeys + 1) * sizeof(*o->key_int));
	}
	widen_keys(b, agg, tuple + 1);
}

static void note_uses(struct dt_build *b, const struct dt_enabling *en, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct dt_ecb *e = en[i].ecb;

		if (i && e == en[i - 1].ecb)
			continue;
		for (uint32_t k = 0; k < e->nacts; k++) {
			if (DT_ACT_IS_AGG(e->acts[k].kind))
				note_use(b, &e->acts[k]);
		}
	}
}

/*
 * Fields in the order of the keys, each aligned by its size. Behind them is the word that dt_gen_key()
 * makes.
 */
static void place_keys(struct dt_build *b, struct dt_bagg *agg)
{
	struct dt_agglayout *o = agg->layout;
	struct dt_recfield *f = (struct dt_recfield *)o->key;
	uint64_t at = 0;

	for (uint32_t i = 0; i < o->nkeys; i++) {
		if (dt_agg_keymixed(o, i))
			f[i].size = 16;
		uint32_t size = f[i].size, align = size >= 8 ? 8 : size > 2 ? 4 : size ? size : 1;

		at = (at + align - 1) & ~(uint64_t)(align - 1);
		f[i].off = (uint32_t)at;
		at += size;
	}
	/* the kernel compares and hashes words of 4 bytes faster than bytes */
	at = (at + 3) & ~3ull;
	if (at > KEY_SLOT_MAX)
		dt_refuse(b, o->nkeys ? o->key_act[0]->loc : (struct dt_loc){ 0 },
		    "the keys of @%s have %llu bytes; the kernel takes at most %u", o->name,
		    (unsigned long long)at, KEY_SLOT_MAX);
	o->keysize = (uint32_t)at;
	o->mapkey = o->keysize + 4;
	agg->planned = true;
}

/* ---- maps ---- */

static uint32_t new_group(struct dt_build *b, uint32_t keysize, uint32_t words)
{
	struct dt_bgroup g = { .keysize = keysize, .words = words };

	dt_vec_push(b->arena, &b->groups, g);
	return (uint32_t)b->groups.n - 1;
}

/* An array of maps names the template, and is what dt_session_take() waits for a grace period with. */
static uint32_t outer_map(struct dt_build *b, uint32_t first, uint32_t n, uint32_t group)
{
	uint32_t outer = dt_build_map(b, DT_MAP_AGGS, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, n, 0);

	b->maps.v[outer].inner = first;
	for (uint32_t m = first; m <= outer; m++)
		b->maps.v[m].group = group;
	return outer;
}

/* Generations that have not been read yet must not reach an element that is still in use. */
static void limit_generations(struct dt_build *b, uint32_t n)
{
	if (b->gen_limit == 0 || n < b->gen_limit)
		b->gen_limit = n;
}

/* As many generations as the memory for cells holds, in a power of two. */
static void make_cells(struct dt_build *b, uint32_t group)
{
	struct dt_bgroup *g = &b->groups.v[group];
	uint64_t value = 8ull * g->words, n = CELLS_MAX;
	uint32_t cells;

	while (n > CELLS_MIN && n * value * (b->opts->ncpus ? b->opts->ncpus : 1) > CELLS_SIZE_MAX)
		n /= 2;
	cells = dt_build_map(b, DT_MAP_AGG_A, BPF_MAP_TYPE_PERCPU_ARRAY, 4, (uint32_t)value, (uint32_t)n, 0);
	outer_map(b, cells, 1, group);
	g = &b->groups.v[group];
	g->map = cells;
	g->cells = (uint32_t)n;
	limit_generations(b, (uint32_t)n - 2);
}

/* Aggregations without keys lie one after another in the words of a cell. */
static void group_cells(struct dt_build *b)
{
	uint32_t group = UINT32_MAX;

	for (size_t i = 0; i < b->aggs.n; i++) {
		struct dt_bagg *agg = &b->aggs.v[i];
		struct dt_agglayout *o = agg->layout;

		if (!agg->planned || o->keysize)
			continue;
		if (group == UINT32_MAX || 8 * (b->groups.v[group].words + o->cpuwords) > CELL_MAX)
			group = new_group(b, 0, 0);
		o->group = group;
		o->base = b->groups.v[group].words;
		b->groups.v[group].words += o->cpuwords;
	}
	for (uint32_t g = 0; g < b->groups.n; g++)
		make_cells(b, g);
}

/*
 * Elements are made when they are first counted, and each CPU has its own: its number is in the last word of
 * the key. A hash with values for all CPUs (PERCPU_HASH) would take memory from the allocator of per-CPU
 * memory, which has 4 pages at hand in a probe and gets more from a worker thread: 16 new elements of
 * quantize() in a row, and the rest would be lost. What a plain hash takes is refilled from the slabs as
 * soon as interrupts are on. Where they are off there are only some dozen at hand, and a function that is
 * first called there would be lost. So when the keys are nothing but probes, and those are functions of the
 * kernel, a PERCPU_HASH makes all elements at the start, for several generations. Where a hook runs with
 * interrupts off (ahead) all elements are made at the start too: before the first refill the kernel has 4 at
 * hand, or 1 of more than 256 bytes, and a timer interrupt that wakes ten threads makes ten elements in a
 * row.
 */
static void make_hashes(struct dt_build *b, uint32_t group, const struct dt_agglayout *o, uint32_t probes,
    bool ahead)
{
	uint32_t type = BPF_MAP_TYPE_HASH, flags, value = 8 * o->cpuwords, first, outer;
	uint64_t n = b->opts->aggsize * (b->opts->aggcpus ? b->opts->aggcpus : 1), gens = PROBE_GENERATIONS;

	ahead = ahead && n <= (dt_agg_takes(o) > LARGE_SIZE ? AHEAD_MAX : AHEAD_SMALL_MAX);
	flags = ahead && n * b->aggs.n <= AHEAD_TOTAL_MAX ? 0 : BPF_F_NO_PREALLOC;
	n /= dt_agg_takes(o);
	if (probes > 0 && probes <= b->opts->aggsize / dt_agg_takes(o) && only_probes(o)) {
		while (gens > 2 && gens * probes * value * (b->opts->ncpus ? b->opts->ncpus : 1) > AHEAD_MAX)
			gens /= 2;
		type = BPF_MAP_TYPE_PERCPU_HASH;
		flags = 0;
		n = gens * probes;
		limit_generations(b, (uint32_t)gens);
	}
	/* the kernel refuses that many, and the session says so */
	n = n < 1 ? 1 : n > UINT32_MAX ? UINT32_MAX : n;
	first = dt_build_map(b, DT_MAP_AGG_A, type, o->mapkey, value, (uint32_t)n, flags);
	dt_build_map(b, DT_MAP_AGG_B, type, o->mapkey, value, (uint32_t)n, flags);
	outer = outer_map(b, first, 2, group);
	b->groups.v[group].map = outer;
	b->groups.v[group].percpu = type == BPF_MAP_TYPE_PERCPU_HASH;
}

/* A group of the same shape that has room for one more; `from`: the first group with keys. */
static uint32_t find_group(struct dt_build *b, uint32_t from, const struct dt_agglayout *o)
{
	for (uint32_t g = from; g < b->groups.n; g++) {
		const struct dt_bgroup *had = &b->groups.v[g];

		if (had->keysize == o->keysize && had->words == o->cpuwords && !had->percpu &&
		    had->members < DT_GEN_MEMBERS)
			return g;
	}
	return UINT32_MAX;
}

/*
 * One program may use 64 maps: very many aggregations share those of others with keys and words of the same
 * size.
 */
static void group_hashes(struct dt_build *b, uint32_t probes, bool ahead)
{
	uint32_t from = (uint32_t)b->groups.n, n = 0;

	for (size_t i = 0; i < b->aggs.n; i++)
		n += b->aggs.v[i].planned && b->aggs.v[i].layout->keysize;
	for (size_t i = 0; i < b->aggs.n; i++) {
		struct dt_agglayout *o = b->aggs.v[i].layout;

		if (!b->aggs.v[i].planned || !o->keysize)
			continue;
		o->group = n > SEPARATE_MAX ? find_group(b, from, o) : UINT32_MAX;
		if (o->group == UINT32_MAX) {
			o->group = new_group(b, o->keysize, o->cpuwords);
			make_hashes(b, o->group, o, n > SEPARATE_MAX ? 0 : probes, ahead);
		}
		o->member = b->groups.v[o->group].members++;
	}
}

/*
 * How many probes there can be among keys. 0 when none of them is a function of the kernel, and when a hook
 * may run inside a lock of a map: elements made at the start lie in lists with spinlocks, and such a program
 * would wait for one on the very CPU that holds it. For a hash that makes its elements when they are needed
 * the kernel tests the lock first, and the element is a drop.
 */
static uint32_t count_probes(const struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	uint32_t sum = b->opts->nerrors;
	bool functions = false, locks = false;

	for (uint32_t h = 0; h < n; h++) {
		sum += hooks[h].nen;
		functions |= dt_ctx(hooks[h].ctx)->function;
		locks |= hooks[h].in_locks;
	}
	return functions && !locks ? sum : 0;
}

static bool elements_ahead(const struct dt_plan_hook *hooks, uint32_t n)
{
	bool off = false, locks = false;

	for (uint32_t h = 0; h < n; h++) {
		off |= hooks[h].irqs_off && hooks[h].nen > 0;
		locks |= hooks[h].in_locks;
	}
	return off && !locks;
}

/* All uses are looked at before code is made for any, so that all agree on where the keys lie. */
void dt_plan_keys(struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	uint32_t probes = count_probes(b, hooks, n);
	bool ahead = elements_ahead(hooks, n);

	for (uint32_t h = 0; h < n; h++)
		note_uses(b, hooks[h].en, hooks[h].nen);
	note_uses(b, b->opts->errors, b->opts->nerrors);
	for (size_t i = 0; i < b->aggs.n; i++) {
		if (b->aggs.v[i].layout->key)
			place_keys(b, &b->aggs.v[i]);
	}
	limit_generations(b, DT_GEN_LIMIT);
	group_cells(b);
	group_hashes(b, probes, ahead);
}
