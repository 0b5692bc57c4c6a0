/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generation of a firing (image.h): read once, when the firing begins, and closed when it shows or
 * empties aggregations. A firing that adds to a single aggregation reads it where it is needed; every other
 * one keeps it, in the frame or, where there is one, in the slot. Code only: dt_session_take() is the
 * reader's side.
 */
#include "bpf/generation.h"
#include "bpf/hook.h"
#include "dif/action.h"

/* ---- what a hook needs ---- */

/* One with keys counts twice: its code needs the generation for the key and for the side. */
static uint32_t additions(const struct dt_ecb *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->nacts; i++)
		n += DT_ACT_IS_AGG(e->acts[i].kind) ? 1u + (e->acts[i].ntuple > 1) : 0;
	return n;
}

/* Behind the last action that shows or empties; at the end where that one may not run. */
uint32_t dt_gen_place(const struct dt_ecb *e)
{
	uint32_t last = e->nacts;

	while (last > 0 && !dt_act_is(&e->acts[last - 1], DT_AF_SHOWS_AGGS))
		last--;
	return last == 0 || dt_act_in_arm(e, last - 1) ? e->nacts : last;
}

/* The id of an aggregation, which the compiler emits as a constant; 0 if it is not one. */
static uint64_t number_of(const struct dt_difo *d)
{
	struct dt_known id = dt_difo_simple(d);

	return id.kind == V_CONST ? id.v : 0;
}

static void mark_additions(struct dt_build *b, const struct dt_ecb *e, uint32_t from, uint32_t to,
    bool *marked)
{
	for (uint32_t i = from; i < to; i++) {
		struct dt_bagg *agg = DT_ACT_IS_AGG(e->acts[i].kind) && e->acts[i].ntuple ?
		    dt_bagg_find(b, number_of(e->acts[i - e->acts[i].ntuple].difo)) : NULL;

		if (agg)
			marked[agg - b->aggs.v] = true;
	}
}

static bool shows_marked(struct dt_build *b, const struct dt_ecb *e, const bool *marked)
{
	bool any = false;

	for (uint32_t i = 0; i < e->nacts; i++) {
		struct dt_bagg *agg = dt_act_is(&e->acts[i], DT_AF_SHOWS_AGGS) ?
		    dt_bagg_find(b, number_of(e->acts[i].difo)) : NULL;

		any |= agg && marked[agg - b->aggs.v];
	}
	return any;
}

/*
 * A clause that shows what this firing has added to since an earlier clause closed a generation closes
 * another: its own additions must be seen.
 */
static void find_fresh(struct dt_hookcode *k)
{
	bool *marked = DT_NEWN(k->b->arena, bool, k->b->aggs.n + 1);

	for (size_t i = 0; i < k->groups.n; i++) {
		const struct dt_ecb *e = k->groups.v[i].en.v[0]->ecb;
		uint32_t at = dt_gen_place(e);

		mark_additions(k->b, e, 0, at, marked);
		if (!dt_ecb_shows_aggs(e))
			continue;
		k->groups.v[i].fresh = shows_marked(k->b, e, marked);
		memset(marked, 0, k->b->aggs.n * sizeof(*marked));
		mark_additions(k->b, e, at, e->nacts, marked);
	}
}

/* Clauses of ERROR belong to the firing that faults; they always have a slot. */
struct dt_gen_use dt_gen_uses(struct dt_hookcode *k)
{
	struct dt_gen_use u = { 0 };
	uint32_t adds = 0;

	find_fresh(k);
	for (size_t i = 0; i < k->groups.n; i++) {
		adds += additions(k->groups.v[i].en.v[0]->ecb);
		u.shows |= dt_ecb_shows_aggs(k->groups.v[i].en.v[0]->ecb);
	}
	for (uint32_t i = 0; i < k->b->opts->nerrors; i++) {
		adds += additions(k->b->opts->errors[i].ecb);
		u.shows |= dt_ecb_shows_aggs(k->b->opts->errors[i].ecb);
	}
	u.shows &= k->b->groups.n > 0;
	u.kept = adds > 1 || (adds > 0 && (u.shows || k->b->opts->nerrors));
	return u;
}

/* Before the first clause; r1 changes. The words of a slot are those of the firing before. */
void dt_gen_begin(struct dt_hookcode *k)
{
	int base = k->slot ? R6 : FP;

	if (k->gen.kept) {
		dt_mapval(k->a, R1, dt_control_map(k->b), (uint32_t)offsetof(struct dt_control, gen));
		dt_ldx(k->a, B8, R1, R1, 0);
		dt_stx(k->a, B8, base, k->slot ? S_GEN : F_GEN, R1);
	}
	if (k->gen.shows)
		dt_sti(k->a, B8, base, k->slot ? S_MOMENT : F_MOMENT, 0);
}

/* ---- in clauses ---- */

void dt_gen_load(struct dt_lower *l, int dst)
{
	if (l->gen.kept) {
		dt_ldx(l->a, B8, dst, l->slot ? R6 : FP, l->slot ? S_GEN : F_GEN);
		return;
	}
	dt_mapval(l->a, dst, dt_control_map(l->b), (uint32_t)offsetof(struct dt_control, gen));
	dt_ldx(l->a, B8, dst, dst, 0);
}

/*
 * Closes the generation g: later firings, and this one, add to the next. Where another CPU is quicker, g is
 * closed all the same, at a moment inside this firing. r2 = g's number. When too many generations wait to be
 * read, g stays open, and its reader sees a later moment: that is counted.
 */
static void close_generation(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t full = dt_label(a), closed = dt_label(a);
	int base = l->slot ? R6 : FP;

	dt_mapval(a, R3, dt_control_map(l->b), 0);
	dt_ldx(a, B8, R0, R3, (int)offsetof(struct dt_control, gen));
	dt_ldx(a, B8, R4, R3, (int)offsetof(struct dt_control, taken));
	dt_mov(a, R2, R0);
	dt_alui(a, BPF_RSH, R2, 1);
	dt_mov(a, R1, R2);
	dt_alu(a, BPF_SUB, R1, R4);
	dt_jmpi(a, BPF_JGE, R1, (int32_t)l->b->gen_limit, full);
	dt_mov(a, R1, R0);
	dt_alui(a, BPF_ADD, R1, (int32_t)DT_GEN_NEXT);
	dt_atomic(a, BPF_CMPXCHG, R3, (int)offsetof(struct dt_control, gen), R1);
	if (l->gen.kept) {
		dt_ldx(a, B8, R1, R3, (int)offsetof(struct dt_control, gen));
		dt_stx(a, B8, base, l->slot ? S_GEN : F_GEN, R1);
	}
	dt_ja(a, closed);
	dt_put(a, full);
	dt_stx(a, B8, FP, F_T1, R2);
	dt_drop(l, offsetof(struct dt_drops, moment));
	dt_ldx(a, B8, R2, FP, F_T1);
	dt_put(a, closed);
}

/*
 * One moment for the clauses of a firing, as far as they do not add themselves: a clear() in the next clause
 * empties what the printa() in this one has shown, and nothing that came in between.
 */
void dt_gen_moment(struct dt_lower *l, int off)
{
	struct dt_emit *a = l->a;
	uint32_t have = dt_label(a);
	int base = l->slot ? R6 : FP, at = l->slot ? S_MOMENT : F_MOMENT;

	if (!l->gen.shows) {
		dt_sti(a, B8, R8, off, 0);
		return;
	}
	if (!l->fresh) {
		dt_ldx(a, B8, R2, base, at);
		dt_jmpi(a, BPF_JNE, R2, 0, have);
	}
	close_generation(l);
	dt_stx(a, B8, base, at, R2);
	dt_put(a, have);
	dt_stx(a, B8, R8, off, R2);
}
