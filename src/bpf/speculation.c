/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculations in the kernel. Each number has a word: its state in the low bits (enum dt_specstate), and
 * above them its generation. A record of a clause that speculates carries the word it was made under, and so
 * does the record of an end, so that the reader can distinguish the uses of one number, in whatever
 * order they come. A number is free again once the record of its end is sent. When there is no room for that
 * record the state stays, and the reader finds it in the word: neither records nor ends get lost.
 */
#include "bpf/build.h"

struct spec_end { struct dt_rechdr h; uint64_t word; };
_Static_assert(sizeof(struct spec_end) <= DT_FRAME_CONTROL, "it is made in the frame");
#define END_AT (F_CONTROL - (int)sizeof(struct spec_end))	/* in the frame */

/*
 * R1 = the address of the word of speculation R9, R2 = its offset. Number 0 goes to `none`, a number that can
 * never be a speculation to `never`.
 */
static void find_word(struct dt_lower *l, uint32_t none, uint32_t never)
{
	struct dt_emit *a = l->a;

	dt_jmpi(a, BPF_JEQ, R9, 0, none);
	dt_mov(a, R2, R9);
	dt_alui(a, BPF_SUB, R2, 1);
	dt_jmpi(a, BPF_JGE, R2, (int32_t)l->b->opts->nspec, never);
	dt_alui(a, BPF_LSH, R2, 3);
	dt_mapval(a, R1, dt_control_map(l->b), DT_CONTROL_SPECS);
	dt_alu(a, BPF_ADD, R1, R2);
}

/* R9 = the number in r0, of which only 32 bits count, as ever. */
static void keep_number(struct dt_lower *l)
{
	dt_mov(l->a, R9, R0);
	dt_alui(l->a, BPF_LSH, R9, 32);
	dt_alui(l->a, BPF_RSH, R9, 32);
}

/* R3 = the word at R1, or on to `none` when the speculation is not active. */
static void load_active(struct dt_lower *l, uint32_t none)
{
	dt_ldx(l->a, B8, R3, R1, 0);
	dt_mov(l->a, R4, R3);
	dt_alui(l->a, BPF_AND, R4, DT_SPEC_STATE);
	dt_jmpi(l->a, BPF_JNE, R4, DT_SPEC_ACTIVE, none);
}

/*
 * Takes the first free one. Each word is read before it is exchanged, so that those in use stay in the other
 * CPUs' caches. R5 collects the states of those in use: it decides which drop is counted when none is free.
 */
void dt_speculation(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t done = dt_label(a), busy = dt_label(a), n = l->b->opts->nspec;

	l->b->image->layouts.nspec = n;
	dt_mapval(a, R3, dt_control_map(l->b), DT_CONTROL_SPECS);
	dt_imm(a, R5, 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = dt_label(a);

		dt_ldx(a, B8, R2, R3, 8 * (int)i);
		dt_mov(a, R4, R2);
		dt_alui(a, BPF_AND, R4, DT_SPEC_STATE);
		dt_alu(a, BPF_OR, R5, R4);
		dt_jmpi(a, BPF_JNE, R4, DT_SPEC_FREE, next);
		dt_mov(a, R0, R2);
		dt_mov(a, R4, R2);
		dt_alui(a, BPF_OR, R4, DT_SPEC_ACTIVE);
		dt_atomic(a, BPF_CMPXCHG, R3, 8 * (int)i, R4);
		dt_jmp(a, BPF_JNE, R0, R2, next);
		dt_imm(a, R0, i + 1);
		dt_ja(a, done);
		dt_put(a, next);
	}
	dt_alui(a, BPF_AND, R5, DT_SPEC_COMMITTED);	/* a bit that discarded ones have too */
	dt_jmpi(a, BPF_JNE, R5, 0, busy);
	dt_drop(l, offsetof(struct dt_drops, spec_unavail));
	dt_imm(a, R0, 0);
	dt_ja(a, done);
	dt_put(a, busy);
	dt_drop(l, offsetof(struct dt_drops, spec_busy));
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

/*
 * Takes room for the record in this CPU's part of the speculation. Each CPU has a word for each speculation:
 * in the upper half the low half of the speculation's word, which tells the generation, in the lower half
 * the bytes in use. A word of another generation counts as none in use.
 */
static void take_room(struct dt_lower *l, int word, uint32_t size, uint32_t drop)
{
	struct dt_emit *a = l->a;
	uint64_t most = l->b->opts->specsize;
	uint32_t same = dt_label(a), fits = dt_label(a);

	dt_help(l, BPF_FUNC_get_smp_processor_id);
	dt_stx(a, B8, FP, F_T0, R0);
	dt_map(a, R1, dt_spec_used_map(l->b));
	dt_fpaddr(a, R2, F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, drop);
	dt_mov(a, R2, R9);
	dt_alui(a, BPF_SUB, R2, 1);
	dt_jmpi(a, BPF_JGE, R2, (int32_t)l->b->opts->nspec, drop);
	dt_alui(a, BPF_LSH, R2, 3);
	dt_alu(a, BPF_ADD, R0, R2);
	dt_ldx(a, B8, R1, R0, 0);
	dt_ldx(a, B8, R3, R8, word);
	dt_alui(a, BPF_LSH, R3, 32);
	dt_alu(a, BPF_XOR, R1, R3);
	dt_mov(a, R2, R1);
	dt_alui(a, BPF_RSH, R2, 32);
	dt_jmpi(a, BPF_JEQ, R2, 0, same);
	dt_imm(a, R1, 0);
	dt_put(a, same);
	dt_alui(a, BPF_ADD, R1, (int32_t)size);
	dt_jmpi(a, BPF_JLE, R1, most < INT32_MAX ? (int32_t)most : INT32_MAX, fits);
	dt_drop(l, offsetof(struct dt_drops, speculative));
	dt_ja(a, drop);
	dt_put(a, fits);
	dt_alu(a, BPF_OR, R1, R3);
	dt_stx(a, B8, R0, 0, R1);
}

/*
 * r0 is the number, any number. When the speculation is not active, or has no room, the clause ends: on to
 * `drop`. r9 keeps the number.
 */
void dt_speculate(struct dt_lower *l, int word, uint32_t drop)
{
	struct dt_emit *a = l->a;

	keep_number(l);
	find_word(l, drop, drop);
	load_active(l, drop);
	if (!l->reserved)
		return;
	dt_stx(a, B2, R8, (int)offsetof(struct dt_rechdr, spec), R9);
	dt_stx(a, B8, R8, word, R3);
	take_room(
	    l, word, (uint32_t)sizeof(struct dt_rechdr) + l->b->image->layouts.recs[l->en->epid - 1].size,
	    drop);
}

/*
 * r0 is the number: the speculation ends, the record is sent, the number is free. Nothing happens when it is
 * not active, or when another CPU ends it first: the exchange decides. A number that can never be a
 * speculation faults.
 */
void dt_spec_end(struct dt_lower *l, bool commit)
{
	struct dt_emit *a = l->a;
	uint32_t no = dt_label(a);
	int state = commit ? DT_SPEC_COMMITTED : DT_SPEC_DISCARDED;

	keep_number(l);
	find_word(l, no, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	load_active(l, no);
	dt_stx(a, B8, FP, END_AT + (int)offsetof(struct spec_end, word), R3);
	dt_mov(a, R0, R3);
	dt_mov(a, R4, R3);
	dt_alui(a, BPF_ADD, R4, state - DT_SPEC_ACTIVE);
	dt_atomic(a, BPF_CMPXCHG, R1, 0, R4);
	dt_jmp(a, BPF_JNE, R0, R3, no);
	dt_help(l, BPF_FUNC_get_smp_processor_id);
	dt_stx(a, B8, FP, F_T0, R0);
	dt_record_header(l, FP, END_AT, commit ? DT_REC_COMMIT : DT_REC_DISCARD);
	dt_stx(a, B2, FP, END_AT + (int)offsetof(struct dt_rechdr, spec), R9);
	dt_record_send(l, sizeof(struct spec_end), no);
	dt_ldx(a, B2, R9, FP, END_AT + (int)offsetof(struct dt_rechdr, spec));
	find_word(l, no, no);
	dt_ldx(a, B8, R0, FP, END_AT + (int)offsetof(struct spec_end, word));
	dt_mov(a, R4, R0);
	dt_alui(a, BPF_ADD, R0, state - DT_SPEC_ACTIVE);
	dt_alui(a, BPF_ADD, R4, DT_SPEC_NEXT - DT_SPEC_ACTIVE);
	dt_atomic(a, BPF_CMPXCHG, R1, 0, R4);	/* not when the reader has found the state before us */
	dt_put(a, no);
	l->cached = 0;
}
