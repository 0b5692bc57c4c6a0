/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations: the actions of a tuple in, code out that updates this CPU's words. The generation of the
 * firing (generation.c) selects the cell or hash they are in. Updates are atomic: when a probe interrupts
 * this one on the same CPU nothing is lost. Data start as zeros; min and max are kept in a form where 0 is
 * less than anything (dt_agg_decode()).
 */
#include "bpf/build.h"
#include "bpf/context.h"
#include "dif/action.h"

#include <errno.h>

#define RETRIES_MAX 8			/* of dt_agg_extreme(): interrupts nest less deep than that */

/* ---- keys ---- */

/* Stores 4 bytes of the key. Keys lie after scratch, maybe too far for an offset of 16 bits. R2 changes. */
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

/* A field that is wider than this use's key is filled up with zeros; a mixed one gets its size after it. */
static void key_field(struct dt_lower *l, const struct dt_agglayout *o, const struct dt_act *act, uint32_t i,
    int base, int off)
{
	uint8_t probe;
	uint32_t size = dt_agg_key_size(l->b, act, &probe);

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

/* The generation, the aggregation's place in its group, and the CPU, where an element belongs to one. */
static void last_word(struct dt_lower *l, const struct dt_agglayout *o, int base, int off)
{
	bool percpu = l->b->groups.v[o->group].percpu;

	if (!percpu)
		dt_help(l, BPF_FUNC_get_smp_processor_id);
	dt_gen_load(l, R1);
	dt_alui(l->a, BPF_LSH, R1, DT_GEN_SHIFT);
	if (!percpu)
		dt_alu(l->a, BPF_OR, R1, R0);
	if (o->member)
		dt_alui(l->a, BPF_OR, R1, (int32_t)(o->member << DT_GEN_CPU_BITS));
	store_word(l, base, off, R1);
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
	if (o->keysize)
		last_word(l, o, *base, *off + (int)o->keysize);
}

/* ---- finding the element ---- */

static void key_ptr(struct dt_lower *l, int base, int off)	/* r2 = the key */
{
	dt_mov(l->a, R2, base);
	dt_alui(l->a, BPF_ADD, R2, off);
}

/*
 * R0 = this CPU's words of an aggregation without keys: its place in the cell of the generation, whose word
 * is in r1.
 */
static void find_cell(struct dt_lower *l, const struct dt_agglayout *o, uint32_t drop)
{
	const struct dt_bgroup *g = &l->b->groups.v[o->group];

	dt_alui(l->a, BPF_RSH, R1, 1);
	dt_alui(l->a, BPF_AND, R1, (int32_t)g->cells - 1);
	dt_stx(l->a, B8, FP, F_T0, R1);
	dt_map(l->a, R1, g->map);
	dt_fpaddr(l->a, R2, F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(l->a, BPF_JEQ, R0, 0, drop);
	if (o->base)
		dt_alui(l->a, BPF_ADD, R0, (int32_t)(8 * o->base));
}

/* R9 = the hash of the generation's side, which the last word of the key tells. */
static void find_hash(struct dt_lower *l, const struct dt_agglayout *o, int base, int off, uint32_t drop)
{
	int at = off + (int)o->keysize;

	if (l->gen.kept) {		/* 8 bytes: what was stored as 4 loads slowly (12 ns, Neoverse N1) */
		dt_gen_load(l, R1);
	} else {
		if (at + 4 > INT16_MAX) {
			dt_mov(l->a, R2, base);
			dt_alui(l->a, BPF_ADD, R2, at);
			base = R2;
			at = 0;
		}
		dt_ldx(l->a, B4, R1, base, at);
		dt_alui(l->a, BPF_RSH, R1, DT_GEN_SHIFT);
	}
	dt_alui(l->a, BPF_AND, R1, 1);
	dt_stx(l->a, B8, FP, F_T0, R1);
	dt_map(l->a, R1, l->b->groups.v[o->group].map);
	dt_fpaddr(l->a, R2, F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(l->a, BPF_JEQ, R0, 0, drop);
	dt_mov(l->a, R9, R0);
}

/*
 * R0 = this CPU's words. An element that is not there is made; without room for it on to `drop`. When there
 * is room, but no memory at hand (or the lock is taken, in an interrupt), that is counted here, and on to
 * `lost`.
 */
static void find_element_here(struct dt_lower *l, const struct dt_agglayout *o, int base, int off,
    uint32_t drop, uint32_t lost)
{
	struct dt_emit *a = l->a;
	uint32_t have = dt_label(a);

	find_hash(l, o, base, off, drop);
	dt_mov(a, R1, R9);
	key_ptr(l, base, off);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JNE, R0, 0, have);
	dt_mov(a, R1, R9);
	key_ptr(l, base, off);
	if (l->b->zeros < 8 * o->cpuwords)
		l->b->zeros = 8 * o->cpuwords;
	dt_mapval(a, R3, dt_constants(l->b), DT_OFF_ZEROS);
	dt_imm(a, R4, BPF_NOEXIST);	/* if another CPU was faster it is there, and stays */
	dt_help(l, BPF_FUNC_map_update_elem);
	dt_stx(a, B8, FP, F_T0, R0);
	dt_mov(a, R1, R9);
	key_ptr(l, base, off);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JNE, R0, 0, have);
	/* Its lowest byte tells errors apart. Before Linux 6.4 it is an int: the upper half says nothing. */
	dt_ldx(a, B1, R1, FP, F_T0);
	dt_jmpi(a, BPF_JEQ, R1, (uint8_t)-E2BIG, drop);
	dt_drop(l, offsetof(struct dt_drops, agg_memory));
	dt_ja(a, lost);
	dt_put(a, have);
}

/*
 * The same as a function that clauses call: r1 is the key, or without keys the generation; r0 = the words,
 * or NULL, and that is counted.
 */
static void element_common(struct dt_lower *l, uint64_t i)
{
	uint32_t drop = dt_label(l->a), lost = dt_label(l->a), out = dt_label(l->a);

	if (l->b->aggs.v[i].layout->keysize) {
		dt_mov(l->a, R6, R1);
		find_element_here(l, l->b->aggs.v[i].layout, R6, 0, drop, lost);
	} else {
		find_cell(l, l->b->aggs.v[i].layout, drop);
	}
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
	if (agg->layout->keysize && !l->compact) {
		find_element_here(l, agg->layout, base, off, drop, lost);
		return;
	}
	if (agg->layout->keysize) {
		key_ptr(l, base, off);
		dt_mov(l->a, R1, R2);
	} else {
		dt_gen_load(l, R1);
	}
	if (!l->compact) {
		find_cell(l, agg->layout, drop);
		return;
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
	for (int i = 0; i < RETRIES_MAX; i++) {
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
 * For each byte of a number: the bits of the number if that byte is its first. 64 counts as 63 (-2^63 as
 * -2^62).
 */
static uint32_t bits_table(struct dt_lower *l)
{
	uint8_t table[8 * 256] = { 0 };

	if (l->b->bits)
		return l->b->bits - 1;
	for (unsigned i = 0; i < sizeof(table); i++) {
		unsigned n = 8 * (i >> 8);

		for (unsigned byte = i & 255; byte; byte >>= 1)
			n++;
		table[i] = (uint8_t)(n > 63 ? 63 : n);
	}
	l->b->bits = dt_pool_bytes(l->b, table, sizeof(table)) + 1;
	return l->b->bits - 1;
}

/*
 * Three branches find the first byte that is not 0, and a table has the rest. They cost next to nothing
 * where values are of one order: 8 ns less than setting all bits below the highest and multiplying (Neoverse
 * N1). What comes of the table is a byte on every path, so the verifier walks on from here once.
 */
void dt_agg_bits(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	dt_mapval(a, R5, dt_constants(l->b), bits_table(l));
	for (int s = 32; s >= 8; s /= 2) {
		uint32_t low = dt_label(a);

		dt_mov(a, R4, R1);
		dt_alui(a, BPF_RSH, R4, s);
		dt_jmpi(a, BPF_JEQ, R4, 0, low);
		dt_mov(a, R1, R4);
		dt_alui(a, BPF_ADD, R5, 32 * s);
		dt_put(a, low);
	}
	dt_alui(a, BPF_AND, R1, 255);
	dt_alu(a, BPF_ADD, R5, R1);
	dt_ldx(a, B1, R4, R5, 0);
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
