/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which modes a hook's code is in, and how many programs it is. To find out, all of it is made, counted and
 * thrown away (dt_emit_back()): first clause by clause without a slot, to see whether one asks for it; then
 * as one program; and when that is too much once more, compact.
 */
#include "bpf/hook.h"

/* The cost of what each program has anyway. *walked: of what a fault in any clause leads to. */
static struct dt_cost cost_of_frame(struct dt_hookcode *k, struct dt_cost *walked)
{
	struct dt_emit_mark m = dt_emit_mark(k->a);
	struct dt_cost every;

	if (k->slot)
		dt_hook_error_functions(k);
	dt_hook_common_functions(k);
	*walked = dt_cost_since(k->b, k->a, m);
	dt_hook_program(k);
	every = dt_cost_since(k->b, k->a, m);
	dt_emit_back(k->a, m);
	return every;
}

/*
 * `main` counts the code in the program itself, `insns` that and the clause's subprogram. Functions that
 * clauses share are walked each time, so they are in `walked`, but there once: they are not in `insns`.
 */
static struct dt_cost cost_of_group(struct dt_hookcode *k, uint32_t i)
{
	struct dt_emit_mark m = dt_emit_mark(k->a);
	struct dt_cost c;
	size_t body, own;
	uint32_t after = dt_label(k->a);

	k->groups.v[i].label = dt_label(k->a);
	dt_hook_run_group(k, &k->groups.v[i], after);
	dt_put(k->a, after);
	body = k->a->code.n - m.code;
	if (k->slot)
		dt_hook_clause_function(k, i, i + 1);
	own = k->a->code.n - m.code;
	dt_hook_common_functions(k);
	c = dt_cost_since(k->b, k->a, m);
	c.main = (uint32_t)body;
	c.insns = (uint32_t)own;
	dt_emit_back(k->a, m);
	return c;
}

static bool any_wants_slot(struct dt_hookcode *k)
{
	for (size_t i = 0; i < k->groups.n; i++) {
		struct dt_emit_mark m = dt_emit_mark(k->a);
		bool wants = dt_hook_inline_clause(k, &k->groups.v[i]);

		dt_emit_back(k->a, m);
		if (wants || dt_hook_each_of(k, (uint32_t)i))
			return true;
	}
	return false;
}

static struct dt_shares count_costs(struct dt_hookcode *k)
{
	struct dt_cost *costs = DT_NEWN(k->b->arena, struct dt_cost, k->groups.n + 1), every, fault = { 0 };

	every = cost_of_frame(k, &fault);
	for (uint32_t i = 0; i < k->groups.n; i++) {
		costs[i] = cost_of_group(k, i);
		if (k->slot)
			dt_cost_add(k->b, &costs[i], &fault);
	}
	return dt_shares_of(k->b, costs, (uint32_t)k->groups.n, &every);
}

void dt_hook_plan_shares(struct dt_hookcode *k)
{
	struct dt_shares s;

	dt_hook_new_code(k);
	k->slot = any_wants_slot(k);
	k->shares.n = k->bunch = 1;
	s = count_costs(k);
	if (s.n != 1) {
		k->compact = true;
		/* the next program of a chain finds the generation and vtimestamp there */
		k->slot |= k->gen.kept || k->b->vtimed;
		s = count_costs(k);
	}
	k->shares = s;
	if (s.crowded)
		dt_refuse(k->b, k->groups.v[s.crowded - 1].en.v[0]->ecb->loc,
		    "the aggregations and arrays of this clause, with the buffers, are %u maps, "
		    "and one program may use 64: make several clauses of it",
		    s.maps);
	if (!s.n)
		dt_refuse(k->b, dt_hook_loc(k),
		    "the %zu clauses at one probe are more than %u programs can hold, which is what the "
		    "kernel runs in a row: "
		    "enable fewer of them at a time, in several commands if need be",
		    k->groups.n, DT_CHAIN_MAX);
}
