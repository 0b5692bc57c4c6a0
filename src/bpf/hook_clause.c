/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clauses of a hook, in the program itself or as subprograms; those of dtrace:::ERROR, which run after
 * any clause that faults; functions that several clauses call; and what exit() in one clause means for the
 * others.
 */
#include "bpf/hook.h"

struct dt_lower dt_hook_lower_for(struct dt_hookcode *k, const struct dt_enabling *en, bool shared, bool slot)
{
	return (struct dt_lower){ .b = k->b,
		.a = k->a,
		.ctx = en->leaves ? DT_CTX_URETSITE : k->h->ctx,
		.inside = k->h->inside,
		.en = en,
		.shared = shared,
		.slot = slot,
		.derived = en->args[0] != NULL,
		.value = k->h->ctx == DT_CTX_SYS_FEXIT ? k->h->nargs : 1,
		.nargs = k->h->nargs_known ? k->h->nargs : UINT32_MAX,
		.args_off = S_ARGS,
		.locals_off = k->b->slot_locals,
		.compact = k->compact,
		.gen = k->gen,
		.end = dt_hook_is_end(k),
		.between = k->h->between };
}

bool dt_hook_inline_clause(struct dt_hookcode *k, const struct dt_hookgroup *g)
{
	struct dt_lower l = dt_hook_lower_for(k, g->en.v[0], g->en.n > 1, false);
	uint32_t done = dt_label(k->a);

	l.fresh = g->fresh;
	dt_lower_clause(&l, done);
	dt_put(k->a, done);
	return l.want_slot;
}

size_t dt_hook_begin_function(struct dt_hookcode *k, uint32_t label)
{
	size_t begin;

	dt_put(k->a, label);
	dt_vec_push(k->a->arena, &k->a->funcs, label);
	begin = dt_frame_begin(k->a);
	dt_mov(k->a, R7, R1);
	dt_mov(k->a, R6, R2);
	return begin;
}

/* r0 is what the clause left: 1 after a fault. */
static void clause_and_return(struct dt_hookcode *k, struct dt_lower *l)
{
	uint32_t done = dt_label(k->a);

	dt_lower_clause(l, done);
	dt_put(k->a, done);
	dt_exit(k->a);
}

/* When there are several groups, r4 says which one is meant; the last is not tested for. */
void dt_hook_clause_function(struct dt_hookcode *k, uint32_t from, uint32_t to)
{
	size_t begin = dt_hook_begin_function(k, k->groups.v[from].label);

	for (uint32_t i = from; i < to; i++) {
		struct dt_hookgroup *g = &k->groups.v[i];
		struct dt_lower l = dt_hook_lower_for(k, g->en.v[0], g->en.n > 1, true);
		uint32_t next = dt_label(k->a);

		l.fresh = g->fresh;
		if (i + 1 < to)
			dt_jmpi(k->a, BPF_JNE, R4, g->pick, next);
		if (l.shared)
			dt_stx(k->a, B8, FP, F_ENTRY, R3);
		clause_and_return(k, &l);
		dt_put(k->a, next);
	}
	dt_frame_end(k->a, begin);
}

/*
 * ERROR is a firing of its own: its clauses have arguments, clause-locals and a strtok() of their own, since
 * the firing that they interrupt goes on. The first of them makes all that empty.
 */
void dt_hook_error_functions(struct dt_hookcode *k)
{
	dt_plan_locals(k->b, k->b->opts->errors, k->b->opts->nerrors);
	for (uint32_t i = 0; i < k->b->opts->nerrors; i++) {
		struct dt_lower l = dt_hook_lower_for(k, &k->b->opts->errors[i], false, true);
		size_t begin;

		l.error = l.fresh = true;
		l.derived = false;
		l.args_off = S_ERROR_ARGS;
		l.locals_off = k->b->slot_locals + k->b->locals_size;
		begin = dt_hook_begin_function(k, k->errors[i]);
		if (i == 0) {
			dt_sti(k->a, B8, R6, S_ERROR_TOK_POS, -1);
			dt_locals_zero(&l);
		}
		clause_and_return(k, &l);
		dt_frame_end(k->a, begin);
	}
}

void dt_common_call(struct dt_lower *l, void (*make)(struct dt_lower *, uint64_t), uint64_t what)
{
	struct dt_common c = { .make = make, .what = what };

	for (size_t i = 0; i < l->a->common.n && !c.label; i++) {
		if (l->a->common.v[i].make == make && l->a->common.v[i].what == what)
			c.label = l->a->common.v[i].label;
	}
	if (!c.label) {
		c.label = dt_label(l->a);
		dt_vec_push(l->a->arena, &l->a->common, c);
	}
	dt_callsub(l->a, c.label);
	l->cached = 0;
}

/* The list may grow while it is worked through: a function may call another. */
void dt_hook_common_functions(struct dt_hookcode *k)
{
	for (size_t i = 0; i < k->a->common.n; i++) {
		struct dt_lower l = { .b = k->b, .a = k->a, .ctx = k->h->ctx };

		dt_put(k->a, k->a->common.v[i].label);
		dt_vec_push(k->a->arena, &k->a->funcs, k->a->common.v[i].label);
		k->a->common.v[i].make(&l, k->a->common.v[i].what);
		dt_exit(k->a);
	}
}

/* ---- exit() ---- */

static bool calls_exit(const struct dt_ecb *e)
{
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (e->acts[i].kind == DT_ACT_EXIT)
			return true;
	}
	return false;
}

/*
 * The first group that may call exit(): groups after it have to look whether it was called in the same
 * firing. When ERROR's clauses call it, any group may, by a fault.
 */
uint32_t dt_hook_first_exit(const struct dt_hookcode *k)
{
	uint32_t i = 0;

	for (uint32_t e = 0; e < k->b->opts->nerrors; e++) {
		if (calls_exit(k->b->opts->errors[e].ecb))
			return 0;
	}
	while (i < k->groups.n && !calls_exit(k->groups.v[i].en.v[0]->ecb))
		i++;
	return i;
}

void dt_hook_skip_if(struct dt_hookcode *k, uint32_t word, uint32_t out)
{
	dt_mapval(k->a, R1, dt_control_map(k->b), word);
	dt_ldx(k->a, B4, R1, R1, 0);
	dt_jmpi(k->a, BPF_JNE, R1, 0, out);
}

void dt_hook_skip_if_exited(struct dt_hookcode *k, uint32_t out)
{
	dt_hook_skip_if(k, (uint32_t)offsetof(struct dt_control, exited), out);
}

/*
 * After exit() no further clause of the firing runs, except for END's and ERROR's. The guards have looked
 * already, so only groups after a clause that may call it look again; in a loop (`again`) every group is
 * after it.
 */
void dt_hook_skip_if_exited_before(struct dt_hookcode *k, uint32_t group, bool again, uint32_t out)
{
	if (!dt_hook_is_end(k) && (again ? k->first_exit < k->groups.n : k->first_exit < group))
		dt_hook_skip_if_exited(k, out);
}

/* ---- calls ---- */

void dt_hook_call_errors(struct dt_hookcode *k)
{
	struct dt_emit *a = k->a;
	uint32_t fine = dt_label(a);

	if (k->b->opts->nerrors) {
		dt_jmpi(a, BPF_JEQ, R0, 0, fine);
		for (uint32_t i = 0; i < k->b->opts->nerrors; i++) {
			dt_mov(a, R1, R7);
			dt_mov(a, R2, R6);
			dt_callsub(a, k->errors[i]);
		}
	}
	dt_put(a, fine);
}

void dt_hook_call_clause(struct dt_hookcode *k, const struct dt_hookgroup *g)
{
	struct dt_emit *a = k->a;

	dt_mov(a, R1, R7);
	dt_mov(a, R2, R6);
	if (k->bunch > 1)
		dt_imm(a, R4, (uint64_t)g->pick);
	dt_callsub(a, g->label);
	dt_hook_call_errors(k);
}

/*
 * The way on leaves out the groups that this number is not in. They would say so themselves, but the verifier
 * does not know that, and would walk each clause after each other one.
 */
void dt_hook_run_group(struct dt_hookcode *k, struct dt_hookgroup *g, uint32_t after)
{
	uint32_t next = dt_label(k->a);

	dt_hook_find_entry(k, g, next);
	dt_hook_skip_if_exited_before(k, (uint32_t)(g - k->groups.v), false, next);
	if (k->slot) {
		dt_hook_call_clause(k, g);
		dt_ja(k->a, after);
	} else {
		if (g->en.n > 1)
			dt_stx(k->a, B8, FP, F_ENTRY, R3);
		dt_hook_inline_clause(k, g);
	}
	dt_put(k->a, next);
}
