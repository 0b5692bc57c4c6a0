/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations: the actions of a tuple in, code out that updates this CPU's words. The buffer in use is found
 * through an array of maps, so that the consumer can put another in its place. Updates are atomic: when a
 * probe interrupts this one on the same CPU nothing is lost. Data start as zeros; min and max are kept in a
 * form where 0 is less than anything (dt_agg_decode()).
 */
#include "bpf/build.h"
#include "bpf/context.h"
#include "dif/action.h"

#include <errno.h>

#define RETRIES 8			/* of dt_agg_extreme(): interrupts nest less deep than that */
#define KEY_SLOT_MAX 0x4000u
#define AHEAD_MOST (64u << 20)		/* bytes that are taken at the start, twice, of an aggregation */
#define AHEAD_ALL (256u << 20)		/* and of all */

/* ---- layout ---- */

/* *probe: the key is a part of the probe's name, from 1, and is kept as the probe's number, 4 bytes. */
static uint32_t key_size(struct dt_build *b, const struct dt_act *act, uint8_t *probe)
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

bool dt_agg_keymixed(const struct dt_agglayout *o, uint32_t k)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++)
		n += o->key_int[k][i] != NULL;
	return n > 1;
}

const struct dt_act *dt_agg_keyact(const struct dt_agglayout *o, uint32_t k, const uint8_t *key,
    uint32_t *len)
{
	uint64_t size;
	int i;

	*len = o->key[k].size;
	if (!dt_agg_keymixed(o, k))
		return o->key_act[k];
	memcpy(&size, key + o->key[k].off + 8, sizeof(size));
	i = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
	*len = 1u << i;
	return o->key_int[k][i] ? o->key_int[k][i] : o->key_act[k];
}

static bool only_probes(const struct dt_agglayout *o)
{
	for (uint32_t i = 0; i < o->nkeys; i++)
		if (!o->key_probe[i])
			return false;
	return o->nkeys > 0;
}

/*
 * What an element counts against aggsize: the kernel's own part of it (48 bytes, and 16 in the table), its
 * key and its words.
 */
uint32_t dt_agg_takes(const struct dt_agglayout *o) { return 64 + o->mapkey + 8 * o->cpuwords; }

/*
 * Elements are made when they are first counted, and each CPU has its own: the CPU is the last word of the
 * key. A hash with values for all CPUs (PERCPU_HASH) would take memory from the allocator of per-CPU memory,
 * which has 4 pages at hand in a probe and gets more from a worker thread: 16 new elements of quantize() in a
 * row, and the rest would be lost. What a plain hash takes is refilled from the slabs as soon as interrupts
 * are on. Where they are off there are only some dozen at hand, and a function that is first called there
 * would be lost. So when the keys are nothing but probes, and those are functions of the kernel, a
 * PERCPU_HASH makes all elements at the start. Where a hook runs with interrupts off (ahead) all elements are
 * made at the start too: before the first refill the kernel has 4 at hand, or 1 of more than 256 bytes, and a
 * timer interrupt that wakes ten threads makes ten elements in a row.
 */
static void make_maps(struct dt_build *b, struct dt_bagg *agg, uint32_t probes, bool ahead)
{
	struct dt_agglayout *o = agg->layout;
	uint32_t index = (uint32_t)(agg - b->aggs.v), value = 8 * o->cpuwords, first,
		 type = BPF_MAP_TYPE_PERCPU_ARRAY, flags = 0;
	uint64_t n = 1;

	o->mapkey = o->keysize ? o->keysize + 4 : 4;
	if (o->keysize && probes > 0 && probes <= b->opts->aggsize / dt_agg_takes(o) && only_probes(o)) {
		type = BPF_MAP_TYPE_PERCPU_HASH;
		o->mapkey = o->keysize;
		n = probes;
	} else if (o->keysize) {
		type = BPF_MAP_TYPE_HASH;
		n = b->opts->aggsize * (b->opts->aggcpus ? b->opts->aggcpus : 1);
		flags = ahead && n <= AHEAD_MOST && n * b->aggs.n <= AHEAD_ALL ? 0 : BPF_F_NO_PREALLOC;
		n /= dt_agg_takes(o);
		/* the kernel refuses that many, and the session says so */
		n = n < 1 ? 1 : n > UINT32_MAX ? UINT32_MAX : n;
		o->bycpu = true;
	}
	first = dt_build_map(b, DT_MAP_AGG_A, type, o->mapkey, value, (uint32_t)n, flags);
	dt_build_map(b, DT_MAP_AGG_B, type, o->mapkey, value, (uint32_t)n, flags);
	agg->outer = dt_build_map(b, DT_MAP_AGGS, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 1, 0);
	b->maps.v[agg->outer].inner = first;
	for (uint32_t m = first; m <= agg->outer; m++)
		b->maps.v[m].agg = index;
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
		uint32_t size = key_size(b, &keys[i], &probe);
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

/* Fields in the order of the keys, each aligned by its size. */
static void place_keys(struct dt_build *b, struct dt_bagg *agg, uint32_t probes, bool ahead)
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
	agg->planned = true;
	make_maps(b, agg, probes, ahead);
}

/*
 * How many probes there can be among keys. 0 when none of them is a function of the kernel, and when a hook
 * may run inside a lock of a map: elements made at the start lie in lists with spinlocks, and such a program
 * would wait for one on the very CPU that holds it. For a hash that makes its elements when they are needed
 * the kernel tests the lock first, and the element is a drop.
 */
static uint32_t count_probes(const struct dt_build *b, const struct dt_image_hook *hooks, uint32_t n)
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

static bool elements_ahead(const struct dt_image_hook *hooks, uint32_t n)
{
	bool off = false, locks = false;

	for (uint32_t h = 0; h < n; h++) {
		off |= hooks[h].irqs_off && hooks[h].nen > 0;
		locks |= hooks[h].in_locks;
	}
	return off && !locks;
}

/* All uses are looked at before code is made for any, so that all agree on where the keys lie. */
void dt_plan_keys(struct dt_build *b, const struct dt_image_hook *hooks, uint32_t n)
{
	uint32_t probes = count_probes(b, hooks, n);
	bool ahead = elements_ahead(hooks, n);

	for (uint32_t h = 0; h < n; h++)
		note_uses(b, hooks[h].en, hooks[h].nen);
	note_uses(b, b->opts->errors, b->opts->nerrors);
	for (size_t i = 0; i < b->aggs.n; i++) {
		if (b->aggs.v[i].layout->key)
			place_keys(b, &b->aggs.v[i], probes, ahead);
	}
}

/* ---- keys ---- */

/* Stores 4 bytes of the key. Keys lie behind scratch, maybe too far for an offset of 16 bits. R2 changes. */
static void store_word(struct dt_lower *l, int base, int off, int reg)
{
	if (off + 4 > INT16_MAX) {
		dt_mov(l->a, R2, base);
		dt_alui(l->a, BPF_ADD, R2, off);
		base = R2;
		off = 0;
	}
	dt_stx(l->a, B4, base, off, reg);
}

/* A field that is wider than this use's key is filled up with zeros; a mixed one gets its size behind it. */
static void key_field(struct dt_lower *l, const struct dt_agglayout *o, const struct dt_act *act, uint32_t i,
    int base, int off)
{
	uint8_t probe;
	uint32_t size = key_size(l->b, act, &probe);

	if (o->key_probe[i]) {
		dt_probe_id(l, R1);
		store_word(l, base, off, R1);
		return;
	}
	if (probe)
		size = l->b->opts->strsize;
	dt_field_value(l, act, &(struct dt_actfield){ .base = base, .off = off, .size = size, .pad = true });
	if (size < o->key[i].size)
		dt_zero(l, base, off + (int)size, o->key[i].size - size);
	if (dt_agg_keymixed(o, i)) {
		dt_mov(l->a, R1, base);
		dt_alui(l->a, BPF_ADD, R1, off + 8);
		dt_sti(l->a, B8, R1, 0, (int32_t)size);
	}
}

/* Bytes between the fields are part of the key and must be zeros. */
static void key_gaps(struct dt_lower *l, const struct dt_agglayout *o, int base, int off)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i <= o->nkeys; i++) {
		uint32_t next = i < o->nkeys ? o->key[i].off : o->keysize;

		if (next > at)
			dt_zero(l, base, off + (int)at, next - at);
		if (i < o->nkeys)
			at = next + o->key[i].size;
	}
}

/*
 * Makes the key, in the frame when it is short and there is no slot, else at slot_key, and says where. It is
 * made field by field: code of a later field must leave slot_key alone.
 */
static void lower_keys(struct dt_lower *l, const struct dt_bagg *agg, const struct dt_act *acts, int act,
    int *base, int *off)
{
	const struct dt_agglayout *o = agg->layout;
	uint32_t room = (o->mapkey + 7) & ~7u;
	bool small = !l->slot && room <= DT_FRAME_KEY;

	*base = small ? FP : dt_slot_reg(l);
	*off = small ? F_KEY - (int)room : (int)l->b->slot_key;
	if (!small && l->b->keymax < room)
		l->b->keymax = room;
	key_gaps(l, o, *base, *off);
	for (uint32_t i = 0; i < o->nkeys; i++) {
		l->act = act + (int)i;
		key_field(l, o, &acts[i], i, *base, *off + (int)o->key[i].off);
	}
	if (!o->bycpu)
		return;
	dt_help(l, BPF_FUNC_get_smp_processor_id);
	store_word(l, *base, *off + (int)o->keysize, R0);
}

/* ---- finding the element ---- */

/* r2 = the key; without keys the buffers are arrays, and their index is the 0 in F_T0. */
static void key_ptr(struct dt_lower *l, const struct dt_agglayout *o, int base, int off)
{
	if (!o->keysize) {
		dt_fpaddr(l->a, R2, F_T0);	/* a word that is 0 */
		return;
	}
	dt_mov(l->a, R2, base);
	dt_alui(l->a, BPF_ADD, R2, off);
}

/*
 * R0 = this CPU's words. An element that is not there is made; without room for it on to `drop`. When there
 * is room, but no memory at hand (or the lock is taken, in an interrupt), that is counted here, and on to
 * `lost`.
 */
static void find_element_here(struct dt_lower *l, const struct dt_bagg *agg, int base, int off, uint32_t drop,
    uint32_t lost)
{
	const struct dt_agglayout *o = agg->layout;
	struct dt_emit *a = l->a;
	uint32_t have = dt_label(a);

	dt_sti(a, B8, FP, F_T0, 0);
	dt_map(a, R1, agg->outer);
	dt_fpaddr(a, R2, F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, drop);
	dt_mov(a, R9, R0);
	dt_mov(a, R1, R9);
	key_ptr(l, o, base, off);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	if (!o->keysize) {
		dt_jmpi(a, BPF_JEQ, R0, 0, drop);
		return;
	}
	dt_jmpi(a, BPF_JNE, R0, 0, have);
	dt_mov(a, R1, R9);
	key_ptr(l, o, base, off);
	if (l->b->zeros < 8 * o->cpuwords)
		l->b->zeros = 8 * o->cpuwords;
	dt_mapval(a, R3, dt_constants(l->b), DT_OFF_ZEROS);
	dt_imm(a, R4, BPF_NOEXIST);	/* when somebody was faster it is there, and stays */
	dt_help(l, BPF_FUNC_map_update_elem);
	dt_stx(a, B8, FP, F_T0, R0);
	dt_mov(a, R1, R9);
	key_ptr(l, o, base, off);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JNE, R0, 0, have);
	/* Its lowest byte tells errors apart. Before Linux 6.4 it is an int: the upper half says nothing. */
	dt_ldx(a, B1, R1, FP, F_T0);
	dt_jmpi(a, BPF_JEQ, R1, (uint8_t)-E2BIG, drop);
	dt_drop(l, offsetof(struct dt_drops, agg_memory));
	dt_ja(a, lost);
	dt_put(a, have);
}

/* The same as a function that clauses call: r1 is the key; r0 = the words, or NULL, and that is counted. */
static void element_common(struct dt_lower *l, uint64_t i)
{
	uint32_t drop = dt_label(l->a), lost = dt_label(l->a), out = dt_label(l->a);

	if (l->b->aggs.v[i].layout->keysize)
		dt_mov(l->a, R6, R1);
	find_element_here(l, &l->b->aggs.v[i], R6, 0, drop, lost);
	dt_ja(l->a, out);
	dt_put(l->a, drop);
	dt_drop(l, offsetof(struct dt_drops, aggregation));
	dt_put(l->a, lost);
	dt_imm(l->a, R0, 0);
	dt_put(l->a, out);
}

static void find_element(struct dt_lower *l, const struct dt_bagg *agg, int base, int off, uint32_t drop,
    uint32_t lost)
{
	if (!l->compact) {
		find_element_here(l, agg, base, off, drop, lost);
		return;
	}
	if (agg->layout->keysize) {
		key_ptr(l, agg->layout, base, off);
		dt_mov(l->a, R1, R2);
	}
	dt_common_call(l, element_common, (uint64_t)(agg - l->b->aggs.v));
	dt_jmpi(l->a, BPF_JEQ, R0, 0, lost);
}

/* ---- what the functions share ---- */

void dt_agg_value_get(struct dt_lower *l, int dst) { dt_ldx(l->a, B8, dst, FP, F_VALUE); }

void dt_agg_add(struct dt_lower *l, int word, int reg) { dt_atomic(l->a, BPF_ADD, R0, 8 * word, reg); }

void dt_agg_add_one(struct dt_lower *l, int word)
{
	dt_imm(l->a, R1, 1);
	dt_agg_add(l, word, R1);
}

void dt_agg_word(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	/* never taken; the verifier needs the bound */
	dt_jmpi(l->a, BPF_JGT, R2, (int32_t)o->nwords - 1, drop);
	dt_alui(l->a, BPF_LSH, R2, 3);
	dt_mov(l->a, R3, R0);
	dt_alu(l->a, BPF_ADD, R3, R2);
}

void dt_agg_bucket(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	dt_agg_word(l, o, drop);
	dt_ldx(l->a, B8, R1, FP, F_INCR);
	dt_atomic(l->a, BPF_ADD, R3, 0, R1);
}

void dt_agg_extreme(struct dt_lower *l, int word, bool least, uint32_t drop)
{
	struct dt_emit *a = l->a;
	uint32_t done = dt_label(a);

	dt_mov(a, R5, R0);
	dt_agg_value_get(l, R2);
	dt_imm(a, R3, least ? INT64_MAX : (uint64_t)INT64_MIN);
	dt_alu(a, least ? BPF_SUB : BPF_XOR, R3, R2);
	for (int i = 0; i < RETRIES; i++) {
		dt_ldx(a, B8, R0, R5, 8 * word);
		dt_jmp(a, BPF_JGE, R0, R3, done);
		dt_mov(a, R1, R0);
		dt_atomic(a, BPF_CMPXCHG, R5, 8 * word, R3);
		dt_jmp(a, BPF_JEQ, R0, R1, done);
	}
	dt_ja(a, drop);
	dt_put(a, done);
	dt_mov(a, R0, R5);
}

/*
 * For the 64 numbers 2^n - 1, n from 1 on, the upper six bits of the product with SPREAD are all different:
 * they index a table of logarithms.
 */
#define SPREAD 0x03f79d71b4cb0a89ull

static uint32_t log2_table(struct dt_lower *l)
{
	uint8_t table[64] = { 0 };

	if (l->b->log2)
		return l->b->log2 - 1;
	for (unsigned i = 0; i < 63; i++)
		table[((2ull << i) - 1) * SPREAD >> 58] = (uint8_t)i;
	table[UINT64_MAX * SPREAD >> 58] = 62;	/* quantize() counts -2^63 with -2^62 */
	l->b->log2 = dt_pool_bytes(l->b, table, sizeof(table)) + 1;
	return l->b->log2 - 1;
}

/* Sets all bits below the highest, then looks the number up: one path for the verifier, and not 64. */
void dt_agg_log2(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	for (int s = 1; s <= 32; s *= 2) {
		dt_mov(a, R4, R1);
		dt_alui(a, BPF_RSH, R4, s);
		dt_alu(a, BPF_OR, R1, R4);
	}
	dt_imm(a, R4, SPREAD);
	dt_alu(a, BPF_MUL, R1, R4);
	dt_alui(a, BPF_RSH, R1, 58);
	dt_mapval(a, R4, dt_constants(l->b), log2_table(l));
	dt_alu(a, BPF_ADD, R4, R1);
	dt_ldx(a, B1, R4, R4, 0);
}

/* ---- the action ---- */

/*
 * Puts the value and the increment of an aggregating function into the frame; the increment may be left out.
 */
static void lower_arguments(struct dt_lower *l, const struct dt_act *acts, uint32_t n, int act, bool incr)
{
	if (n < 2 && incr)
		dt_sti(l->a, B8, FP, F_INCR, 1);
	for (uint32_t i = 0; i < n && i < 2; i++) {
		l->act = act + (int)i;
		if (!acts[i].difo)
			continue;
		dt_lower_difo(l, acts[i].difo);
		if (l->ret.kind != V_NUM)
			dt_known_address(l, l->ret);
		dt_stx(l->a, B8, FP, i ? F_INCR : F_VALUE, R0);
	}
}

/*
 * The tuple stands before the action: the aggregation's number, the keys, the arguments. `seen` is set when
 * the words have been changed.
 */
void dt_aggregate(struct dt_lower *l, const struct dt_ecb *ecb, uint32_t i)
{
	const struct dt_act *act = &ecb->acts[i], *tuple = act - act->ntuple;
	struct dt_known id = act->ntuple ? dt_difo_simple(tuple[0].difo) : (struct dt_known){ 0 };
	struct dt_bagg *agg = id.kind == V_CONST ? dt_bagg_find(l->b, id.v) : NULL;
	uint32_t drop = dt_label(l->a), done = dt_label(l->a), first = i - act->ntuple + 1;
	size_t before = l->a->fixups.n;
	int base, off;

	if (!agg)
		REFUSE(l, "this aggregation is not declared by the program");
	lower_keys(l, agg, tuple + 1, (int)first, &base, &off);
	lower_arguments(l, tuple + 1 + agg->layout->nkeys, act->ntuple - 1 - agg->layout->nkeys,
	    (int)(first + agg->layout->nkeys), dt_act_rule(act)->most > 1);
	l->act = (int)i;
	find_element(l, agg, base, off, drop, done);
	dt_aggfunc_of(act->kind)->lower(l, agg->layout, drop);
	if (agg->layout->seen)
		dt_sti(l->a, B8, R0, 8 * (int)agg->layout->seen, 1);
	if (dt_label_used(l->a, drop, before)) {	/* the kernel refuses code that nothing leads to */
		dt_ja(l->a, done);
		dt_put(l->a, drop);
		dt_drop(l, offsetof(struct dt_drops, aggregation));
	}
	dt_put(l->a, done);
}
