/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that fire for each of several things (the parts of a request). A callback of bpf_loop() makes a step
 * to the next thing and then runs the clauses, so that all clauses see one thing before any sees the next.
 * Such hooks always have a slot: S_ITEM holds the thing.
 */
#include "bpf/hook.h"

/* Things a probe fires for at once; the kernel puts fewer into a request. */
#define ITEMS_MAX 4096
/*
 * Up to so many clauses stand in the callback itself: that is one call less, and all frames on the way
 * together may have 512 bytes.
 */
#define INLINE_CLAUSES_MAX 4

/* The callback gets the address of two words in the frame: the slot and the context. */
uint32_t dt_hook_run_each(struct dt_hookcode *k, uint32_t from)
{
	struct dt_emit *a = k->a;
	struct dt_hookloop loop = { .from = from, .to = from, .label = dt_label(a), .step = dt_label(a) };

	while (loop.to < k->to && dt_hook_each_of(k, loop.to) == dt_hook_each_of(k, from))
		loop.to++;
	dt_vec_push(k->b->arena, &k->loops, loop);
	dt_sti(a, B8, R6, S_ITEM, 0);
	dt_stx(a, B8, FP, F_HOOK_INDEX, R7);
	dt_stx(a, B8, FP, F_HOOK_NUMBER, R6);
	dt_imm(a, R1, ITEMS_MAX);
	dt_funcaddr(a, R2, loop.label);
	dt_fpaddr(a, R3, F_HOOK_NUMBER);
	dt_imm(a, R4, 0);
	dt_call(a, BPF_FUNC_loop);
	return loop.to;
}

static bool stands_in_callback(const struct dt_hookcode *k, const struct dt_hookloop *loop)
{
	return k->bunch == 1 && loop->to - loop->from <= INLINE_CLAUSES_MAX;
}

bool dt_hook_in_callback(const struct dt_hookcode *k, uint32_t group)
{
	for (size_t i = 0; i < k->loops.n; i++) {
		if (group >= k->loops.v[i].from && group < k->loops.v[i].to)
			return stands_in_callback(k, &k->loops.v[i]);
	}
	return false;
}

/* A function of its own, so that scratch and frame begin anew for each step. */
static void step_function(struct dt_hookcode *k, const struct dt_hookloop *loop)
{
	struct dt_lower l = dt_hook_lower_for(k, k->groups.v[loop->from].en.v[0], false, true);
	size_t begin = dt_hook_begin_function(k, loop->step);

	dt_sti(k->a, B8, R6, S_SCRATCH_USED, 0);
	dt_lower_step(&l);
	dt_imm(k->a, R0, 0);
	dt_exit(k->a);
	dt_frame_end(k->a, begin);
}

static void clause_in_loop(
    struct dt_hookcode *k, const struct dt_hookloop *loop, const struct dt_hookgroup *g)
{
	struct dt_lower l = dt_hook_lower_for(k, g->en.v[0], false, true);
	uint32_t done = dt_label(k->a);

	l.fresh = true;			/* a loop: what is after the clause is also before it */
	if (!stands_in_callback(k, loop)) {
		dt_hook_call_clause(k, g);
		return;
	}
	dt_lower_clause(&l, done);
	dt_put(k->a, done);
	dt_hook_call_errors(k);
}

/* The callback returns 1, the loop ends, after the last thing or after exit(). */
void dt_hook_loop_functions(struct dt_hookcode *k)
{
	struct dt_emit *a = k->a;

	for (size_t i = 0; i < k->loops.n; i++) {
		const struct dt_hookloop *loop = &k->loops.v[i];
		uint32_t end = dt_label(a);
		size_t begin;

		step_function(k, loop);
		dt_put(a, loop->label);
		dt_vec_push(a->arena, &a->funcs, loop->label);
		begin = dt_frame_begin(a);
		dt_ldx(a, B8, R7, R2, F_HOOK_INDEX - F_HOOK_NUMBER);
		dt_ldx(a, B8, R6, R2, 0);
		dt_mov(a, R1, R7);
		dt_mov(a, R2, R6);
		dt_callsub(a, loop->step);
		dt_imm(a, R0, 1);
		dt_ldx(a, B8, R1, R6, S_ITEM);
		dt_jmpi(a, BPF_JEQ, R1, 0, end);
		for (uint32_t g = loop->from; g < loop->to; g++) {
			dt_imm(a, R0, 1);
			dt_hook_skip_if_exited_before(k, g, true, end);
			clause_in_loop(k, loop, &k->groups.v[g]);
		}
		dt_imm(a, R0, 0);
		dt_put(a, end);
		dt_exit(a);
		dt_frame_end(a, begin);
	}
}
