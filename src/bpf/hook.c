/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One hook in, its programs out: the clauses enabled there, in program order. When none of them needs memory
 * beyond the stack they stand one after the other in the program itself; else a slot is claimed and each is a
 * subprogram (context, slot, entry). System calls share a hook, and so do kernel functions and places in
 * processes: a number says what fired (that of the call, or the cookie of the point), and one piece of code
 * serves all probes that a clause is enabled for.
 *
 * When the clauses are too many for one program (share.h), further programs follow by tail call. These get
 * the context and nothing else: they ask for the number again, and find the slot by the word that its owner
 * left in `busy`. The last one gives it back.
 */
#include "bpf/hook.h"
#include "bpf/current.h"

/* Whether one piece of code can serve both: all that differs otherwise is in their entries. */
static bool same_code(const struct dt_enabling *x, const struct dt_enabling *y)
{
	return x->leaves == y->leaves && x->root == y->root && x->each == y->each && x->when == y->when &&
	    memcmp(x->args, y->args, sizeof(x->args)) == 0 && dt_ecb_same_code(x->ecb, y->ecb);
}

/* One more than the largest number. */
static uint32_t number_limit(const struct dt_plan_hook *h)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < h->nen; i++)
		most = h->en[i].number >= most ? h->en[i].number + 1 : most;
	return most;
}

/*
 * Enablings of one clause come in a row, so only the last group is tried. A number is in a group only once:
 * two probes may be at one place (entry, and offset 0), and both fire.
 */
static void group_enablings(struct dt_hookcode *k)
{
	/* by number: the last group that has it, from 1 */
	uint32_t *group_of = DT_NEWN(k->b->arena, uint32_t, (k->numbered ? number_limit(k->h) : 0) + 1);

	for (uint32_t i = 0; i < k->h->nen; i++) {
		const struct dt_enabling *en = &k->h->en[i];
		struct dt_hookgroup *g = NULL, fresh = { .label = 0 };

		if (k->numbered && k->groups.n && same_code(k->groups.v[k->groups.n - 1].en.v[0], en) &&
		    group_of[en->number] != k->groups.n)
			g = &k->groups.v[k->groups.n - 1];
		if (!g) {
			dt_vec_push(k->b->arena, &k->groups, fresh);
			g = &k->groups.v[k->groups.n - 1];
		}
		dt_vec_push(k->b->arena, &g->en, en);
		if (k->numbered)
			group_of[en->number] = (uint32_t)k->groups.n;
	}
}

/* From the last group to the first: where each number comes next. */
static void link_groups(struct dt_hookcode *k)
{
	uint32_t n = (uint32_t)k->groups.n, *next = DT_NEWN(k->b->arena, uint32_t, number_limit(k->h) + 1);

	for (uint32_t i = n; i-- > 0; ) {
		struct dt_hookgroup *g = &k->groups.v[i];

		g->again = k->numbered ? n : i + 1;
		for (size_t e = 0; k->numbered && e < g->en.n; e++) {
			uint32_t *at = &next[g->en.v[e]->number];

			g->again = *at && *at < g->again ? *at : g->again;
			*at = i;
		}
	}
}

/* ---- the program ---- */

static void emit_exit(struct dt_hookcode *k, uint32_t out)
{
	dt_put(k->a, out);
	dt_imm(k->a, R0, 0);
	dt_exit(k->a);
}

/* The programs of a chain are long, and branches are not: the way out stands near the guards. */
static void emit_prologue(struct dt_hookcode *k, uint32_t out)
{
	uint32_t in = dt_label(k->a);

	dt_mov(k->a, R7, R1);
	if (dt_hook_is_head(k))
		dt_hook_guards(k, out);
	if (!k->slot)			/* the number may stay in r0 */
		dt_vtime_begin(k);
	dt_hook_read_number(k);
	if (k->slot && dt_hook_is_head(k)) {
		dt_hook_claim_slot(k, out);
		dt_vtime_begin(k);
	} else if (k->slot) {
		dt_hook_find_our_slot(k, out);
	}
	if (dt_hook_is_head(k))
		dt_gen_begin(k);
	if (dt_hook_chained(k) && (k->slot || (dt_hook_is_head(k) && !dt_hook_is_end(k)))) {
		dt_ja(k->a, in);
		emit_exit(k, out);
		dt_put(k->a, in);
	}
}

/* A tail call that succeeds does not come back; one that fails is counted, and its clauses do not run. */
static void tail_call_next(struct dt_hookcode *k)
{
	dt_mov(k->a, R1, R7);
	dt_map(k->a, R2, k->chain);
	dt_imm(k->a, R3, k->part);
	dt_call(k->a, BPF_FUNC_tail_call);
	dt_drop_at(k->b, k->a, F_HOOK_DROP, offsetof(struct dt_drops, slot));
}

/* Groups that run in one loop begin together. */
static void label_beginnings(struct dt_hookcode *k)
{
	for (uint32_t i = k->from; i < k->to; i++) {
		const struct dt_difo *each = dt_hook_each_of(k, i);
		bool joined = each && i > k->from && each == dt_hook_each_of(k, i - 1);

		k->groups.v[i].begin = joined ? k->groups.v[i - 1].begin : dt_label(k->a);
	}
}

/* What is in no further group of this program goes on to the next program, or to `out` if it is in none. */
static void run_groups(struct dt_hookcode *k, uint32_t out)
{
	uint32_t end = dt_label(k->a), i = k->from;

	label_beginnings(k);
	while (i < k->to) {
		struct dt_hookgroup *g = &k->groups.v[i];

		dt_put(k->a, g->begin);
		if (dt_hook_each_of(k, i)) {
			i = dt_hook_run_each(k, i);
			continue;
		}
		dt_hook_run_group(k, g, g->again < k->to ? k->groups.v[g->again].begin :
		    g->again < k->groups.n ? end : out);
		i++;
	}
	dt_put(k->a, end);
}

/* Whoever claimed a slot gives it back: the last program of a chain, or one whose tail call failed. */
void dt_hook_program(struct dt_hookcode *k)
{
	struct dt_emit *a = k->a;
	uint32_t out = dt_label(a), start = dt_label(a), done = dt_label(a);

	dt_put(a, start);
	dt_vec_push(a->arena, &a->funcs, start);
	emit_prologue(k, out);
	run_groups(k, done);
	if (!dt_hook_is_last(k))
		tail_call_next(k);
	dt_put(a, done);
	dt_vtime_end(k);
	dt_hook_release_slot(k);
	emit_exit(k, dt_hook_chained(k) ? dt_label(a) : out);
}

/* ---- a program as the image has it ---- */

static void list_functions(struct dt_hookcode *k, struct dt_image_prog *p)
{
	struct bpf_func_info *f = DT_NEWN(k->b->arena, struct bpf_func_info, k->a->funcs.n);

	for (size_t i = 0; i < k->a->funcs.n; i++)
		f[i].insn_off = (uint32_t)k->a->labels.v[k->a->funcs.v[i]];
	p->funcs = f;
	p->nfuncs = (uint32_t)k->a->funcs.n;
}

static void publish_program(struct dt_hookcode *k, struct dt_image_prog *p)
{
	struct dt_emit *a = k->a;

	strcpy(p->name, "dt_");
	strcat(p->name, dt_ctx(k->h->ctx)->name);
	p->ctx = k->h->ctx;
	p->hook = k->index;
	p->link = k->part;
	p->chain = k->chain;
	p->insns = a->code.v;
	p->ninsns = (uint32_t)a->code.n;
	p->relocs = a->relocs.v;
	p->nrelocs = (uint32_t)a->relocs.n;
	p->difo_at = a->difo_at.v;
	p->difpc_at = a->difpc_at.v;
	if (a->callbacks)		/* without: "missing btf func_info" */
		list_functions(k, p);
}

/* The code before, if any, is only forgotten: memory is the arena's. */
void dt_hook_new_code(struct dt_hookcode *k)
{
	k->a = DT_NEW(k->b->arena, struct dt_emit);
	k->a->arena = k->b->arena;
	k->a->task = k->h->ctx == DT_CTX_TASK ? k->b->opts : NULL;
	dt_label(k->a);			/* number 0 means "no label" */
	k->loops.n = 0;
	for (uint32_t i = 0; i < k->b->opts->nerrors; i++)
		k->errors[i] = dt_label(k->a);
}

/* ---- all programs of a hook ---- */

/* `bunch` groups in a row share a subprogram and its label; `pick` says which of them is meant. */
static void label_groups(struct dt_hookcode *k)
{
	for (uint32_t i = k->from; i < k->to; i++) {
		k->groups.v[i].pick = (int32_t)((i - k->from) % k->bunch);
		k->groups.v[i].label = k->groups.v[i].pick ? k->groups.v[i - 1].label : dt_label(k->a);
	}
}

struct dt_loc dt_hook_loc(const struct dt_hookcode *k)
{
	return k->h->nen ? k->h->en[0].ecb->loc : (struct dt_loc){ 0 };
}

/* How many subprograms there is room for, beside the program itself, ERROR's and the runtime's. */
static uint32_t room_for_clauses(const struct dt_hookcode *k)
{
	uint32_t taken = 1 + k->b->opts->nerrors + k->shares.funcs[k->part] +
	    (k->compact || k->b->tls ? DT_COMMON_MAX : 0);

	if (taken >= DT_FUNCS_MAX)
		dt_refuse(k->b, k->b->opts->errors[0].ecb->loc,
		    "%u ERROR clauses are more than one program can have functions (%u): "
		    "write them as fewer clauses",
		    k->b->opts->nerrors, DT_FUNCS_MAX);
	return DT_FUNCS_MAX - taken;
}

/*
 * The order of the pieces counts: functions that dt_common_call() asks for come after all code that may ask,
 * those of the runtime at the very end.
 */
static void make_program(struct dt_hookcode *k, uint32_t part, struct dt_image_prog *p)
{
	uint32_t room;

	dt_hook_new_code(k);
	k->part = part;
	k->from = part ? k->shares.end[part - 1] : 0;
	k->to = k->shares.end[part];
	room = k->slot ? room_for_clauses(k) : 1;
	k->bunch = k->slot ? (k->to - k->from + room - 1) / room : 1;
	label_groups(k);
	dt_hook_program(k);
	for (uint32_t i = k->from; k->slot && i < k->to; i += k->bunch)
		if (!dt_hook_in_callback(k, i))
			dt_hook_clause_function(k, i, i + k->bunch < k->to ? i + k->bunch : k->to);
	dt_hook_loop_functions(k);
	if (k->slot)
		dt_hook_error_functions(k);
	dt_hook_common_functions(k);
	dt_rt_link(k->a);
	if (!dt_emit_finish(k->a))
		dt_refuse(k->b, dt_hook_loc(k),
		    "a clause is too large: its data are more than 32767 bytes apart; make several clauses "
		    "of it");
	publish_program(k, p);
}

static void lower_vtime(struct dt_hookcode *k)
{
	k->chain = UINT32_MAX;
	dt_hook_new_code(k);
	dt_vtime_program(k->b, k->a);
	dt_emit_finish(k->a);
	publish_program(k, &k->b->image->progs[k->index]);
}

/* A program that keeps the family maps, or those of self-> arrays: it has no clauses. */
static void lower_keeper(struct dt_hookcode *k)
{
	uint32_t start;

	dt_hook_new_code(k);
	start = dt_label(k->a);
	dt_put(k->a, start);
	dt_vec_push(k->a->arena, &k->a->funcs, start);
	if (k->h->keep >= DT_KEEP_SELF_SWITCH)
		dt_owned_free(k->b, k->a, k->h->keep == DT_KEEP_SELF_SWITCH);
	else
		dt_family_keep(k->b, k->a, k->h->keep);
	(void)dt_emit_finish(k->a);
	k->chain = UINT32_MAX;
	publish_program(k, &k->b->image->progs[k->index]);
}

/* What wall-n needs of the kernel. */
static void check_task(struct dt_hookcode *k)
{
	const char *missing = dt_current_missing(k->b->opts);

	if (missing != NULL)
		dt_refuse(k->b, dt_hook_loc(k), "this kernel's type data does not show %s of a thread, "
		    "which wall-n needs", missing);
}

/* Programs that may wait for memory cannot go on by tail call. */
static void check_chain(struct dt_hookcode *k)
{
	if (k->h->ctx == DT_CTX_TASK && dt_hook_chained(k))
		dt_refuse(k->b, dt_hook_loc(k), "the clauses at this wall-n are more than one program can "
		    "hold: write fewer, or give some of them another interval");
}

void dt_lower_hook(struct dt_build *b, const struct dt_plan_hook *h, uint32_t index)
{
	struct dt_hookcode k = {
		.b = b, .h = h, .index = index, .numbered = dt_ctx(h->ctx)->syscall || h->npoints > 1
	};

	k.errors = DT_NEWN(b->arena, uint32_t, b->opts->nerrors + 1);
	if (h->ctx == DT_CTX_TASK)
		check_task(&k);
	if (h->keep) {
		lower_keeper(&k);
		return;
	}
	if (!h->nen) {
		lower_vtime(&k);
		return;
	}
	group_enablings(&k);
	link_groups(&k);
	k.first_exit = dt_hook_first_exit(&k);
	k.gen = dt_gen_uses(&k);
	dt_hook_plan_shares(&k);
	k.chain = UINT32_MAX;
	check_chain(&k);
	if (dt_hook_chained(&k))
		k.chain = dt_build_map(b, DT_MAP_CHAIN, BPF_MAP_TYPE_PROG_ARRAY, 4, 4, k.shares.n - 1, 0);
	make_program(&k, 0, &b->image->progs[index]);
	for (uint32_t part = 1; part < k.shares.n; part++) {
		struct dt_image_prog p = { .link = part };

		make_program(&k, part, &p);
		dt_vec_push(b->arena, &b->more, p);
	}
}
