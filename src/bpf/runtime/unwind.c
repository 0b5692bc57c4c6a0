/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A user stack by tables (bpf/unwind.h). Not strings come in but maps: a the rows, b the mappings of processes, d the rules; the
 * frames go to w + size, as many as asked for. Where the tables have nothing (code made at run time) the frame pointer is followed
 * for that step. Searches have no branches the verifier would have to walk both ways: sums of steps that count or do not.
 */
#include "runtime.h"
#include "bpf/unwind.h"

struct walk {				/* the words of the slot */
	u64 pc, sp, fp, lr;
	u64 want, out;			/* frames */
	u64 lists, nlists;		/* the process's mappings */
	u64 exact;			/* the pc is that of an instruction, not where a call returns to */
	u64 start, len, bias, first, n;	/* the mapping in hand */
	u64 arm;			/* the machine */
};

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_probe_read_user)(void *to, u32 size, const void *from) = (void *)112;

#define INLINE static __attribute__((always_inline))
#define CODE_BITS 48			/* above them aarch64 signs return addresses */

/* 1 if x <= y, both below 2^63; told as a sum so that it is no branch */
INLINE u64 not_above(u64 x, u64 y)
{
	u64 r = (y - x) >> 63;

	asm volatile("" : "+r"(r));
	return r ^ 1;
}

INLINE u64 word(u64 addr, u64 *to) { return bpf_probe_read_user(to, 8, (void *)addr) != 0; }

/* The mapping that has the pc; else n is 0. */
INLINE long find_map(struct rt *r, struct walk *w, u64 pc)
{
	u64 at = 0, last = w->nlists - 1;
	struct dt_unwind_map *m;
	u32 key;

#pragma unroll
	for (u64 step = DT_UNWIND_MAPS / 2; step > 0; step /= 2) {
		u64 inside = not_above(at + step, last);

		key = (u32)(w->lists + (at + step) * inside);
		m = bpf_map_lookup_elem(r->b, &key);
		if (!m)
			return 1;
		at += step * (inside & not_above(m->start, pc));
	}
	key = (u32)(w->lists + at);
	m = bpf_map_lookup_elem(r->b, &key);
	if (!m)
		return 1;
	w->start = m->start;
	w->len = m->end - m->start;
	w->bias = m->bias;
	w->first = m->first;
	w->n = m->n;
	return 0;
}

/* The number of the rule at pc, or 0, which is "none". */
INLINE u64 find_rule(struct rt *r, struct walk *w, u64 pc)
{
	u64 at = 0, last = w->n - 1, rel = pc - w->bias;
	struct dt_unwind_row *row;
	u32 key;

#pragma unroll
	for (u64 step = DT_UNWIND_ROWS / 2; step > 0; step /= 2) {
		u64 inside = not_above(at + step, last);

		key = (u32)(w->first + (at + step) * inside);
		row = bpf_map_lookup_elem(r->a, &key);
		if (!row)
			return 0;
		at += step * (inside & not_above(row->pc, rel));
	}
	key = (u32)(w->first + at);
	row = bpf_map_lookup_elem(r->a, &key);
	return row && row->pc <= rel ? row->rule : 0;
}

/* Where a register was saved; 0: it was not. */
INLINE u64 saved_at(const struct walk *w, u64 cfa, u32 how, int off)
{
	u64 base = how == DT_REG_CFA ? cfa : how == DT_REG_SP ? w->sp : w->fp;

	return how == DT_REG_SAME || how == DT_REG_LOST ? 0 : base + (s64)off;
}

INLINE long by_frame(struct walk *w)
{
	u64 fp = w->fp, pair[2];

	if (fp < w->sp || fp & 7 || bpf_probe_read_user(pair, sizeof(pair), (void *)fp))
		return 1;
	w->fp = pair[0];
	w->pc = pair[1];
	w->sp = fp + 16;
	w->exact = 0;
	return 0;
}

/* 1: it cannot be had */
INLINE long frame_start(const struct walk *w, const struct dt_unwind_rule *rule, u64 *cfa)
{
	u64 fp = rule->cfa == DT_CFA_FP || rule->cfa == DT_CFA_AT_FP;

	*cfa = (fp ? w->fp : w->sp) + (s64)rule->cfa_off;
	if (rule->cfa == DT_CFA_PLT && (w->pc & 15) >= (u64)rule->ra_off)
		*cfa += 8;
	if (rule->cfa == DT_CFA_AT_SP || rule->cfa == DT_CFA_AT_FP)
		return (long)word(*cfa, cfa);
	return 0;
}

INLINE long by_rule(struct walk *w, const struct dt_unwind_rule *rule)
{
	u64 cfa, ra_at, fp_at, ra = w->lr, fp = w->fp, lr = 0;

	if (frame_start(w, rule, &cfa))
		return 1;
	ra_at = rule->cfa == DT_CFA_PLT ? cfa - 8 : saved_at(w, cfa, rule->ra, rule->ra_off);
	fp_at = saved_at(w, cfa, rule->fp, rule->fp_off);
	/* only a frame that made none of its own is as high as the one below it; signals may come on another stack */
	if (cfa < w->sp || (cfa == w->sp && !w->exact))
		if (!rule->signal)
			return 1;
	if (ra_at && word(ra_at, &ra))
		return 1;
	if (!ra_at && !w->exact)
		return 1;		/* the link register has been used since */
	if (fp_at && word(fp_at, &fp))
		fp = 0;
	if (rule->signal && w->arm && word(ra_at - 16, &lr))
		lr = 0;
	w->lr = lr;
	w->pc = ra;
	w->fp = rule->fp == DT_REG_LOST ? 0 : fp;
	w->sp = cfa;
	w->exact = rule->signal;
	return 0;
}

INLINE long up(struct rt *r, struct walk *w)
{
	u64 pc = w->pc - 1 + w->exact;
	struct dt_unwind_rule *rule;
	u32 key;

	if (pc - w->start >= w->len && find_map(r, w, pc))
		return 1;
	if (pc - w->start >= w->len || w->n == 0)
		return by_frame(w);
	key = (u32)find_rule(r, w, pc);
	rule = bpf_map_lookup_elem(r->d, &key);
	if (!rule || rule->cfa == DT_CFA_END)
		return 1;
	return rule->cfa == DT_CFA_NONE ? by_frame(w) : by_rule(w, rule);
}

static long step_unwind(u32 i, struct rt *r)
{
	struct walk *w = (struct walk *)r->w;
	u64 *frames = (u64 *)((u8 *)r->w + r->size);
	u64 at = w->out;

	if (w->arm)
		w->pc &= (1ull << CODE_BITS) - 1;
	if (w->pc == 0 || at >= w->want || at >= DT_UNWIND_FRAMES)
		return 1;
	frames[at] = w->pc;
	w->out = at + 1;
	return up(r, w);
}

/* The frames that were found. */
RT(rt_unwind)
{
	CONTEXT;
	struct walk *k = (struct walk *)w;

	k->out = k->start = k->len = k->n = 0;
	k->exact = 1;
	if (k->nlists == 0 || k->nlists > DT_UNWIND_MAPS)
		return 0;
	LOOP(DT_UNWIND_FRAMES, step_unwind);
	return k->out;
}
