/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slot of a firing: one of the DT_NSLOTS of this CPU, or of this thread in an engine whose programs are
 * preempted at any time, so that interrupts and programs that preempt us have one too. The first program of
 * a chain claims it and the last gives it back; `busy` (struct dt_slot) is 0 when the slot is free. When
 * all are taken the firing is lost, and counted.
 */
#include "bpf/hook.h"

/*
 * What S_BUSY holds: 1, or a word by which the next program of a chain finds the slot again. On one CPU a
 * hook's program does not run inside itself (the kernel sees to that), so the hook's number is enough; where
 * it may be preempted the thread is needed too.
 */
static int32_t owner_constant(const struct dt_hookcode *k)
{
	return dt_hook_chained(k) ? (int32_t)k->index + 2 : 1;
}

/* By a program that looks for a slot among the same ones. */
static bool may_be_preempted(const struct dt_hookcode *k)
{
	return k->b->opts->slots || dt_ctx(k->h->ctx)->preemptible;
}

static bool owner_is_in_frame(const struct dt_hookcode *k)
{
	return dt_hook_chained(k) && may_be_preempted(k);
}

/* Once in each program, before its first look at a slot. */
static void store_owner_word(struct dt_hookcode *k)
{
	if (!owner_is_in_frame(k))
		return;
	dt_call(k->a, BPF_FUNC_get_current_pid_tgid);
	dt_alui(k->a, BPF_LSH, R0, 32);
	dt_alui(k->a, BPF_OR, R0, owner_constant(k));
	dt_stx(k->a, B8, FP, F_HOOK_OWNER, R0);
}

static void load_owner_word(struct dt_hookcode *k, int dst)
{
	if (owner_is_in_frame(k))
		dt_ldx(k->a, B8, dst, FP, F_HOOK_OWNER);
	else
		dt_imm(k->a, dst, (uint64_t)owner_constant(k));
}

/*
 * To `got`, with r0 still the slot, when it is free. Where we may be preempted, an atomic exchange makes it
 * ours at the same moment. Elsewhere dt_hook_claim_slot() marks it: an interrupt in between has
 * given its slot back before we go on.
 */
static void take_if_free(struct dt_hookcode *k, uint32_t got)
{
	struct dt_emit *a = k->a;

	if (!may_be_preempted(k)) {
		dt_ldx(a, B8, R1, R0, S_BUSY);
		dt_jmpi(a, BPF_JEQ, R1, 0, got);
		return;
	}
	dt_mov(a, R3, R0);
	dt_imm(a, R0, 0);
	load_owner_word(k, R1);
	dt_atomic(a, BPF_CMPXCHG, R3, S_BUSY, R1);
	dt_mov(a, R1, R0);
	dt_mov(a, R0, R3);
	dt_jmpi(a, BPF_JEQ, R1, 0, got);
}

/* To `got`, with r0 still the slot, when its owner is the chain we are in. */
static void take_if_ours(struct dt_hookcode *k, uint32_t got)
{
	dt_ldx(k->a, B8, R1, R0, S_BUSY);
	load_owner_word(k, R2);
	dt_jmp(k->a, BPF_JEQ, R1, R2, got);
}

/* r6 = the first of this CPU's slots that `test` takes; without one a drop is counted, and on to `out`. */
static void find_slot(struct dt_hookcode *k, void (*test)(struct dt_hookcode *, uint32_t got), uint32_t out)
{
	struct dt_emit *a = k->a;
	uint32_t got = dt_label(a), none = dt_label(a);

	store_owner_word(k);
	if (k->b->opts->slots) {
		dt_call(a, DT_HELPER_SLOT);
		dt_alui(a, BPF_AND, R0, (int32_t)k->b->opts->slots - 1);
	} else {
		dt_call(a, BPF_FUNC_get_smp_processor_id);
	}
	dt_alui(a, BPF_MUL, R0, DT_NSLOTS);
	dt_stx(a, B8, FP, F_HOOK_INDEX, R0);
	for (int i = 0; i < DT_NSLOTS; i++) {
		if (i) {
			dt_ldx(a, B8, R1, FP, F_HOOK_INDEX);
			dt_alui(a, BPF_ADD, R1, 1);
			dt_stx(a, B8, FP, F_HOOK_INDEX, R1);
		}
		dt_map(a, R1, dt_slots(k->b));
		dt_fpaddr(a, R2, F_HOOK_INDEX);
		dt_call(a, BPF_FUNC_map_lookup_elem);
		dt_jmpi(a, BPF_JEQ, R0, 0, none);
		test(k, got);
	}
	dt_put(a, none);
	dt_drop_at(k->b, a, F_HOOK_DROP, offsetof(struct dt_drops, slot));
	dt_ja(a, out);
	dt_put(a, got);
	dt_mov(a, R6, R0);
}

/*
 * Most hooks run with preemption off, where a plain test is enough (take_if_free()). A new slot has no text
 * for strtok(), and the clause-locals of this hook's clauses are 0: they live for one firing.
 */
void dt_hook_claim_slot(struct dt_hookcode *k, uint32_t out)
{
	struct dt_lower l = { .b = k->b, .a = k->a, .locals_off = k->b->slot_locals };

	find_slot(k, take_if_free, out);
	if (!may_be_preempted(k))
		dt_sti(k->a, B8, R6, S_BUSY, owner_constant(k));
	dt_sti(k->a, B8, R6, S_TOK_POS, -1);
	dt_plan_locals(k->b, k->h->en, k->h->nen);
	dt_locals_zero(&l);
}

void dt_hook_find_our_slot(struct dt_hookcode *k, uint32_t out) { find_slot(k, take_if_ours, out); }

void dt_hook_release_slot(struct dt_hookcode *k)
{
	if (k->slot)
		dt_sti(k->a, B8, R6, S_BUSY, 0);
}
