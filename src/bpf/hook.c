/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program: the clauses enabled at one hook. When none of them needs memory beyond the stack they stand one after the
 * other in the program itself; else a slot is claimed and each is a subprogram (context, slot, entry). System calls share
 * a hook, and so do kernel functions and places in processes: clauses are found by number (of the call, or the cookie of
 * the point that fired), and one piece of code serves all that a clause is enabled for.
 *
 * Of a probe that fires for each of several things (the parts of a request) the clauses are in a callback of bpf_loop(), behind a step
 * to the next one: all clauses see one thing before any sees the next.
 *
 * Clauses that are too many for one program (share.h) go on in further ones by tail call. These get the context and nothing
 * else: they ask for the number again, and find the slot by the word its owner left in S_BUSY. The last one gives it back.
 */
#include "bpf/share.h"

#define FEW 4				/* numbers found by comparing; more have a table */
#define MOST 262144
#define MOST_ITEMS 4096			/* that a probe fires for at once; the kernel puts fewer into a request */
#define FEW_EACH 4			/* clauses that stand in the callback itself: a call less, of frames that together have 512 bytes */

struct group {				/* enablings that share code */
	DT_VEC(const struct dt_enabling *) en;
	uint32_t label;			/* of the subprogram */
	int32_t pick;			/* which of the clauses in there it is */
	uint32_t entries;		/* offset of their entries in the constants + 1, 0 not there yet */
};

struct loop { uint32_t from, to, label, step; };	/* groups in a callback, and the function that finds the next thing */

struct hook {
	struct dt_build *b;
	struct dt_emit *a;
	const struct dt_image_hook *h;
	uint32_t index;
	DT_VEC(struct group) groups;
	uint32_t *errors;		/* labels of the ERROR clauses */
	uint32_t first_exit;		/* the first group that may call exit(), itself or by a fault; none: their number */
	bool slot;
	bool compact;			/* clauses call what several of them have */
	bool numbered;			/* what fired is told by a number */
	struct dt_shares shares;
	uint32_t chain;			/* map of the programs behind the first, when there are any */
	/* the program in hand */
	uint32_t part;			/* its place in the chain */
	uint32_t from, to;		/* its groups */
	uint32_t bunch;			/* clauses in one subprogram */
	DT_VEC(struct loop) loops;
};

static bool chained(const struct hook *k) { return k->shares.n > 1; }
static bool is_head(const struct hook *k) { return k->part == 0; }
static bool is_last(const struct hook *k) { return k->part + 1 == k->shares.n; }

static bool is_sys(enum dt_image_ctx ctx)
{
	return ctx == DT_CTX_SYS_ENTER || ctx == DT_CTX_SYS_EXIT || ctx == DT_CTX_SYS_FENTRY || ctx == DT_CTX_SYS_FEXIT;
}

static bool is_end(const struct hook *k) { return k->h->ctx == DT_CTX_RUN && k->h->en[0].probe_id == DT_PROBE_END; }
static bool is_begin(const struct hook *k) { return k->h->ctx == DT_CTX_RUN && k->h->en[0].probe_id == DT_PROBE_BEGIN; }

/* These may be preempted, by another program of ours on the same CPU too. */
static bool preemptible(enum dt_image_ctx ctx)
{
	return ctx == DT_CTX_FENTRY || ctx == DT_CTX_FEXIT || ctx == DT_CTX_SYS_FENTRY || ctx == DT_CTX_SYS_FEXIT ||
	    ctx == DT_CTX_UPROBE || ctx == DT_CTX_URETPROBE;
}

static bool same_code(const struct dt_enabling *x, const struct dt_enabling *y)
{
	return x->ecb == y->ecb && x->leaves == y->leaves && x->root == y->root && x->each == y->each && x->when == y->when && memcmp(x->args, y->args, sizeof(x->args)) == 0;
}

static uint32_t numbers(const struct dt_image_hook *h)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < h->nen; i++)
		most = h->en[i].number >= most ? h->en[i].number + 1 : most;
	return most;
}

/* Enablings of one clause come in a row. A number is in a group once: two probes may be at one place (entry, and offset 0). */
static void group_up(struct hook *k)
{
	uint32_t *group_of = DT_NEWN(k->b->arena, uint32_t, (k->numbered ? numbers(k->h) : 0) + 1);	/* the last with that number, from 1 */

	for (uint32_t i = 0; i < k->h->nen; i++) {
		const struct dt_enabling *en = &k->h->en[i];
		struct group *g = NULL, fresh = { .label = 0 };

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

/* ---- clauses ---- */

static struct dt_lower lower_for(struct hook *k, const struct dt_enabling *en, bool shared, bool slot)
{
	return (struct dt_lower){ .b = k->b, .a = k->a, .ctx = en->leaves ? DT_CTX_URETSITE : k->h->ctx, .inside = k->h->inside, .en = en, .shared = shared, .slot = slot,
		.derived = en->args[0] != NULL, .value = k->h->ctx == DT_CTX_SYS_FEXIT ? k->h->nargs : 1,
		.nargs = k->h->nargs_known ? k->h->nargs : UINT32_MAX, .args_off = S_ARGS,
		.locals_off = k->b->slot_locals, .compact = k->compact, .end = is_end(k), .iter = k->h->iter, .iter_len = k->h->iter_len };
}

/* Makes the clause's code in place; tells whether it asked for a slot. */
static bool inline_clause(struct hook *k, const struct group *g)
{
	struct dt_lower l = lower_for(k, g->en.v[0], g->en.n > 1, false);
	uint32_t done = dt_label(k->a);

	dt_lower_clause(&l, done);
	dt_put(k->a, done);
	return l.want_slot;
}

/* Where dt_frame_end() is to be told it began. */
static size_t function(struct hook *k, uint32_t label)
{
	size_t begin;

	dt_put(k->a, label);
	dt_vec_push(k->a->arena, &k->a->funcs, label);
	begin = dt_frame_begin(k->a);
	dt_mov(k->a, R7, R1);
	dt_mov(k->a, R6, R2);
	return begin;
}

static void returns(struct hook *k, struct dt_lower *l)
{
	uint32_t done = dt_label(k->a);

	dt_lower_clause(l, done);
	dt_put(k->a, done);
	dt_exit(k->a);
}

/* Groups `from` to `to`: one subprogram; r4 says which, when there are several. */
static void subprogram(struct hook *k, uint32_t from, uint32_t to)
{
	size_t begin = function(k, k->groups.v[from].label);

	for (uint32_t i = from; i < to; i++) {
		struct group *g = &k->groups.v[i];
		struct dt_lower l = lower_for(k, g->en.v[0], g->en.n > 1, true);
		uint32_t next = dt_label(k->a);

		if (i + 1 < to)
			dt_jmpi(k->a, BPF_JNE, R4, g->pick, next);
		if (l.shared)
			dt_stx(k->a, B8, FP, F_ENTRY, R3);
		returns(k, &l);
		dt_put(k->a, next);
	}
	dt_frame_end(k->a, begin);
}

static void error_subprograms(struct hook *k)
{
	dt_plan_locals(k->b, k->b->opts->errors, k->b->opts->nerrors);
	for (uint32_t i = 0; i < k->b->opts->nerrors; i++) {
		struct dt_lower l = lower_for(k, &k->b->opts->errors[i], false, true);
		size_t begin;

		l.error = true;
		l.derived = false;
		l.args_off = S_ERROR_ARGS;
		l.locals_off = k->b->slot_locals + k->b->locals_size;
		begin = function(k, k->errors[i]);
		if (i == 0)
			dt_locals_zero(&l);
		returns(k, &l);
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

static void common_functions(struct hook *k)
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

static bool exits(const struct dt_ecb *e)
{
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (e->acts[i].kind == DT_ACT_EXIT)
			return true;
	}
	return false;
}

/* From which group on exit() may have been called in the same firing: behind the first that can, ERROR's clauses included. */
static uint32_t first_exit(const struct hook *k)
{
	uint32_t i = 0;

	for (uint32_t e = 0; e < k->b->opts->nerrors; e++) {
		if (exits(k->b->opts->errors[e].ecb))
			return 0;
	}
	while (i < k->groups.n && !exits(k->groups.v[i].en.v[0]->ecb))
		i++;
	return i;
}

/* On to `out` when that word of the control block is set; r1 changes. */
static void unless(struct hook *k, uint32_t word, uint32_t out)
{
	dt_mapval(k->a, R1, dt_control_map(k->b), word);
	dt_ldx(k->a, B4, R1, R1, 0);
	dt_jmpi(k->a, BPF_JNE, R1, 0, out);
}

static void unless_exited(struct hook *k, uint32_t out) { unless(k, (uint32_t)offsetof(struct dt_control, exited), out); }

/*
 * After exit() no clause of the firing runs but END's and ERROR's. The guards have looked already, so that only those behind a clause
 * that may call it look again; of a probe that fires for each of several things that is every one.
 */
static void unless_exited_before(struct hook *k, uint32_t group, bool again, uint32_t out)
{
	if (!is_end(k) && (again ? k->first_exit < k->groups.n : k->first_exit < group))
		unless_exited(k, out);
}

/* ---- which enabling ---- */

static struct dt_entry entry_of(struct dt_build *b, const struct dt_enabling *en)
{
	const char *const parts[] = { en->prov, en->mod, en->func, en->name };
	struct dt_entry e = { .epid = en->epid, .probe_id = en->probe_id, .site = en->site };

	for (int i = 0; i < 4; i++)
		e.part[i] = dt_pool_text(b, parts[i] ? parts[i] : "");
	return e;
}

static int number_at(const struct hook *k) { return k->slot ? F_HOOK_NUMBER : F_NUMBER; }

/* Else it is looked at once, while it is in r0. */
static bool number_kept(const struct hook *k) { return k->slot || k->groups.n > 1; }

/* Code is made more than once, its constants are not. */
static uint32_t keep_entries(struct hook *k, struct group *g, const struct dt_entry *e, uint32_t n)
{
	if (!g->entries)
		g->entries = 1 + dt_pool_bytes(k->b, e, n * sizeof(*e));
	return g->entries - 1;
}

/* R3 = the entry, or on to `next`. */
static void entry_few(struct hook *k, struct group *g, uint32_t next)
{
	uint32_t have = dt_label(k->a), at;
	struct dt_entry e[FEW];

	for (size_t i = 0; i < g->en.n; i++)
		e[i] = entry_of(k->b, g->en.v[i]);
	at = keep_entries(k, g, e, (uint32_t)g->en.n);
	for (size_t i = 0; i < g->en.n; i++) {
		uint32_t other = i + 1 < g->en.n ? dt_label(k->a) : next;

		dt_jmpi(k->a, BPF_JNE, R1, (int32_t)g->en.v[i]->number, other);
		dt_mapval(k->a, R3, dt_constants(k->b), at + (uint32_t)(i * sizeof(*e)));
		if (i + 1 < g->en.n) {
			dt_ja(k->a, have);
			dt_put(k->a, other);
		}
	}
	dt_put(k->a, have);
}

static void entry_table(struct hook *k, struct group *g, uint32_t next)
{
	struct dt_emit *a = k->a;
	struct dt_entry *table;
	uint32_t n = 0;

	for (size_t i = 0; i < g->en.n; i++) {
		if (g->en.v[i]->number >= n)
			n = g->en.v[i]->number + 1;
	}
	if (n > MOST)
		dt_refuse(k->b, g->en.v[0]->ecb->loc, "%u probes of one kind are more than one program can tell apart (%u)", n, MOST);
	table = g->entries ? NULL : DT_NEWN(k->b->arena, struct dt_entry, n);
	for (size_t i = 0; table && i < g->en.n; i++)
		table[g->en.v[i]->number] = entry_of(k->b, g->en.v[i]);
	dt_jmpi(a, BPF_JGE, R1, (int32_t)n, next);
	dt_alui(a, BPF_MUL, R1, (int32_t)sizeof(struct dt_entry));
	dt_mapval(a, R3, dt_constants(k->b), keep_entries(k, g, table, n));
	dt_alu(a, BPF_ADD, R3, R1);
	dt_ldx(a, B4, R1, R3, (int)offsetof(struct dt_entry, epid));
	dt_jmpi(a, BPF_JEQ, R1, 0, next);
}

static void find_entry(struct hook *k, struct group *g, uint32_t next)
{
	if (!k->numbered)
		return;
	if (number_kept(k))
		dt_ldx(k->a, B8, R1, FP, number_at(k));
	else
		dt_mov(k->a, R1, R0);
	if (g->en.n == 1)
		dt_jmpi(k->a, BPF_JNE, R1, (int32_t)g->en.v[0]->number, next);
	else if (g->en.n <= FEW)
		entry_few(k, g, next);
	else
		entry_table(k, g, next);
}

/* ---- before any clause ---- */

static void only_pids(struct hook *k, uint32_t out)
{
	const struct dt_image_opts *o = k->b->opts;
	uint32_t in = dt_label(k->a);

	if (o->nroots) {
		dt_family_root(k->b, k->a, F_HOOK_INDEX, out);	/* all of them are limits, or none is */
		return;
	}
	dt_process_number(k->a, o, F_HOOK_INDEX);
	for (uint32_t i = 0; i < o->npids; i++)
		dt_jmpi(k->a, BPF_JEQ, R0, (int32_t)o->pids[i], in);
	dt_ja(k->a, out);
	dt_put(k->a, in);
}

static void only_cpu(struct hook *k, uint32_t out)
{
	dt_call(k->a, BPF_FUNC_get_smp_processor_id);
	dt_jmpi(k->a, BPF_JNE, R0, (int32_t)k->b->opts->only_cpu - 1, out);
}

static void get_number(struct hook *k)
{
	struct dt_emit *a = k->a;

	if (!k->numbered)
		return;
	if (is_sys(k->h->ctx)) {
		dt_syscall_number(a, k->b->opts, k->h->ctx);
		dt_syscall_native(k->b, a);
	} else {
		dt_mov(a, R1, R7);
		dt_call(a, BPF_FUNC_get_attach_cookie);
	}
	if (number_kept(k))
		dt_stx(a, B8, FP, number_at(k), R0);
}

static void guards(struct hook *k, uint32_t out)
{
	if (is_end(k))
		return;
	if (is_begin(k)) {		/* tracing has not started yet */
		unless_exited(k, out);
		return;
	}
	unless(k, (uint32_t)offsetof(struct dt_control, stopped), out);
	if (k->h->ctx == DT_CTX_RUN)
		return;
	if (k->b->opts->only_cpu)
		only_cpu(k, out);
	if (k->b->opts->npids)
		only_pids(k, out);
}

/* ---- the slot ---- */

/*
 * What S_BUSY holds: 1, or a word by which the next program of a chain knows it again. On one CPU a hook's program does not
 * run inside itself (the kernel sees to that), so its number is enough; where it may be preempted the thread is needed too.
 */
static int32_t owner_number(const struct hook *k) { return chained(k) ? (int32_t)k->index + 2 : 1; }

static bool owner_in_frame(const struct hook *k) { return chained(k) && preemptible(k->h->ctx); }

static void make_owner(struct hook *k)
{
	if (!owner_in_frame(k))
		return;
	dt_call(k->a, BPF_FUNC_get_current_pid_tgid);
	dt_alui(k->a, BPF_LSH, R0, 32);
	dt_alui(k->a, BPF_OR, R0, owner_number(k));
	dt_stx(k->a, B8, FP, F_HOOK_OWNER, R0);
}

static void owner(struct hook *k, int dst)
{
	if (owner_in_frame(k))
		dt_ldx(k->a, B8, dst, FP, F_HOOK_OWNER);
	else
		dt_imm(k->a, dst, (uint64_t)owner_number(k));
}

/* Free, and where we may be preempted ours at once: to `got`, with the slot still in r0. */
static void is_free(struct hook *k, uint32_t got)
{
	struct dt_emit *a = k->a;

	if (!preemptible(k->h->ctx)) {
		dt_ldx(a, B8, R1, R0, S_BUSY);
		dt_jmpi(a, BPF_JEQ, R1, 0, got);
		return;
	}
	dt_mov(a, R3, R0);
	dt_imm(a, R0, 0);
	owner(k, R1);
	dt_atomic(a, BPF_CMPXCHG, R3, S_BUSY, R1);
	dt_mov(a, R1, R0);
	dt_mov(a, R0, R3);
	dt_jmpi(a, BPF_JEQ, R1, 0, got);
}

static void is_ours(struct hook *k, uint32_t got)
{
	dt_ldx(k->a, B8, R1, R0, S_BUSY);
	owner(k, R2);
	dt_jmp(k->a, BPF_JEQ, R1, R2, got);
}

/* In r6 the first slot of this CPU that `test` takes; none: that is a drop, and on to `out`. */
static void search(struct hook *k, void (*test)(struct hook *, uint32_t got), uint32_t out)
{
	struct dt_emit *a = k->a;
	uint32_t got = dt_label(a), none = dt_label(a);

	make_owner(k);
	dt_call(a, BPF_FUNC_get_smp_processor_id);
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
 * Most hooks run with preemption off, so that only interrupts come between, and they are over before we go on: a plain test
 * is enough there.
 */
static void claim(struct hook *k, uint32_t out)
{
	struct dt_lower l = { .b = k->b, .a = k->a, .locals_off = k->b->slot_locals };

	search(k, is_free, out);
	if (!preemptible(k->h->ctx))
		dt_sti(k->a, B8, R6, S_BUSY, owner_number(k));
	dt_sti(k->a, B8, R6, S_TOK_POS, -1);	/* strtok() has nothing yet */
	dt_plan_locals(k->b, k->h->en, k->h->nen);
	dt_locals_zero(&l);
}

static void release(struct hook *k)
{
	if (k->slot)
		dt_sti(k->a, B8, R6, S_BUSY, 0);
}

/* ---- the program ---- */

/* r0 is 1 after a fault. */
static void call_errors(struct hook *k)
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

static void call_clause(struct hook *k, const struct group *g)
{
	struct dt_emit *a = k->a;

	dt_mov(a, R1, R7);
	dt_mov(a, R2, R6);
	if (k->bunch > 1)
		dt_imm(a, R4, (uint64_t)g->pick);
	dt_callsub(a, g->label);
	call_errors(k);
}

static void run_group(struct hook *k, struct group *g)
{
	uint32_t next = dt_label(k->a);

	find_entry(k, g, next);
	unless_exited_before(k, (uint32_t)(g - k->groups.v), false, next);
	if (k->slot) {
		call_clause(k, g);
	} else {
		if (g->en.n > 1)
			dt_stx(k->a, B8, FP, F_ENTRY, R3);
		inline_clause(k, g);
	}
	dt_put(k->a, next);
}

/* ---- probes that fire for each of several things ---- */

static const struct dt_difo *each_of(const struct hook *k, uint32_t i) { return k->groups.v[i].en.v[0]->each; }

/* The groups from there on that go over the same things; which one is behind them. Context and slot are left in the frame. */
static uint32_t run_each(struct hook *k, uint32_t from)
{
	struct dt_emit *a = k->a;
	struct loop loop = { .from = from, .to = from, .label = dt_label(a), .step = dt_label(a) };

	while (loop.to < k->to && each_of(k, loop.to) == each_of(k, from))
		loop.to++;
	dt_vec_push(k->b->arena, &k->loops, loop);
	dt_sti(a, B8, R6, S_ITEM, 0);
	dt_stx(a, B8, FP, F_HOOK_INDEX, R7);
	dt_stx(a, B8, FP, F_HOOK_NUMBER, R6);
	dt_imm(a, R1, MOST_ITEMS);
	dt_funcaddr(a, R2, loop.label);
	dt_fpaddr(a, R3, F_HOOK_NUMBER);
	dt_imm(a, R4, 0);
	dt_call(a, BPF_FUNC_loop);
	return loop.to;
}

static bool stands_in(const struct hook *k, const struct loop *loop) { return k->bunch == 1 && loop->to - loop->from <= FEW_EACH; }

static bool in_callback(const struct hook *k, uint32_t group)
{
	for (size_t i = 0; i < k->loops.n; i++) {
		if (group >= k->loops.v[i].from && group < k->loops.v[i].to)
			return stands_in(k, &k->loops.v[i]);
	}
	return false;
}

static void step_function(struct hook *k, const struct loop *loop)
{
	struct dt_lower l = lower_for(k, k->groups.v[loop->from].en.v[0], false, true);
	size_t begin = function(k, loop->step);

	dt_sti(k->a, B8, R6, S_SCRATCH_USED, 0);
	dt_lower_step(&l);
	dt_imm(k->a, R0, 0);
	dt_exit(k->a);
	dt_frame_end(k->a, begin);
}

static void loop_clause(struct hook *k, const struct loop *loop, const struct group *g)
{
	struct dt_lower l = lower_for(k, g->en.v[0], false, true);
	uint32_t done = dt_label(k->a);

	if (!stands_in(k, loop)) {
		call_clause(k, g);
		return;
	}
	dt_lower_clause(&l, done);
	dt_put(k->a, done);
	call_errors(k);
}

static void loop_functions(struct hook *k)
{
	struct dt_emit *a = k->a;

	for (size_t i = 0; i < k->loops.n; i++) {
		const struct loop *loop = &k->loops.v[i];
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
			unless_exited_before(k, g, true, end);
			loop_clause(k, loop, &k->groups.v[g]);
		}
		dt_imm(a, R0, 0);
		dt_put(a, end);
		dt_exit(a);
		dt_frame_end(a, begin);
	}
}

static void leave(struct hook *k, uint32_t out)
{
	dt_put(k->a, out);
	dt_imm(k->a, R0, 0);
	dt_exit(k->a);
}

/* A chain's programs are long, and branches are not: the way out stands near the guards. */
static void enter(struct hook *k, uint32_t out)
{
	uint32_t in = dt_label(k->a);

	dt_mov(k->a, R7, R1);
	if (is_head(k))
		guards(k, out);
	get_number(k);
	if (k->slot && is_head(k))
		claim(k, out);
	else if (k->slot)
		search(k, is_ours, out);
	if (chained(k) && (k->slot || (is_head(k) && !is_end(k)))) {
		dt_ja(k->a, in);
		leave(k, out);
		dt_put(k->a, in);
	}
}

/* A tail call that succeeds does not come back. */
static void go_on(struct hook *k)
{
	dt_mov(k->a, R1, R7);
	dt_map(k->a, R2, k->chain);
	dt_imm(k->a, R3, k->part);
	dt_call(k->a, BPF_FUNC_tail_call);
	dt_drop_at(k->b, k->a, F_HOOK_DROP, offsetof(struct dt_drops, slot));
}

static void program(struct hook *k)
{
	struct dt_emit *a = k->a;
	uint32_t out = dt_label(a), start = dt_label(a);

	dt_put(a, start);
	dt_vec_push(a->arena, &a->funcs, start);
	enter(k, out);
	for (uint32_t i = k->from; i < k->to; ) {
		if (each_of(k, i))
			i = run_each(k, i);
		else
			run_group(k, &k->groups.v[i++]);
	}
	if (!is_last(k))
		go_on(k);
	release(k);
	leave(k, chained(k) ? dt_label(a) : out);
}

static void functions(struct hook *k, struct dt_image_prog *p)
{
	struct bpf_func_info *f = DT_NEWN(k->b->arena, struct bpf_func_info, k->a->funcs.n);

	for (size_t i = 0; i < k->a->funcs.n; i++)
		f[i].insn_off = (uint32_t)k->a->labels.v[k->a->funcs.v[i]];
	p->funcs = f;
	p->nfuncs = (uint32_t)k->a->funcs.n;
}

static void publish(struct hook *k, struct dt_image_prog *p)
{
	static const char *const names[] = {
		[DT_CTX_RAWTP] = "rawtp", [DT_CTX_SYS_ENTER] = "sys_enter", [DT_CTX_SYS_EXIT] = "sys_exit", [DT_CTX_PERF] = "perf",
		[DT_CTX_RUN] = "run", [DT_CTX_SYS_FENTRY] = "sys_fentry", [DT_CTX_SYS_FEXIT] = "sys_fexit", [DT_CTX_FENTRY] = "fentry", [DT_CTX_FEXIT] = "fexit", [DT_CTX_KPROBE] = "kprobe",
		[DT_CTX_KRETPROBE] = "kretprobe", [DT_CTX_UPROBE] = "uprobe", [DT_CTX_URETPROBE] = "uretprobe",
	};
	struct dt_emit *a = k->a;

	strcpy(p->name, "dt_");
	strcat(p->name, names[k->h->ctx]);
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
	if (a->callbacks)		/* "missing btf func_info" else */
		functions(k, p);
}

static void new_code(struct hook *k)
{
	k->a = DT_NEW(k->b->arena, struct dt_emit);
	k->a->arena = k->b->arena;
	dt_label(k->a);			/* number 0 means "no label" */
	k->loops.n = 0;
	for (uint32_t i = 0; i < k->b->opts->nerrors; i++)
		k->errors[i] = dt_label(k->a);
}

/* Groups that share a subprogram have its label. */
static void label_groups(struct hook *k)
{
	for (uint32_t i = k->from; i < k->to; i++) {
		k->groups.v[i].pick = (int32_t)((i - k->from) % k->bunch);
		k->groups.v[i].label = k->groups.v[i].pick ? k->groups.v[i - 1].label : dt_label(k->a);
	}
}

static struct dt_loc place_of(const struct hook *k) { return k->h->nen ? k->h->en[0].ecb->loc : (struct dt_loc){ 0 }; }

/* Subprograms there is room for, beside the program, ERROR's and the runtime's. */
static uint32_t room_for_clauses(const struct hook *k)
{
	uint32_t taken = 1 + k->b->opts->nerrors + k->shares.funcs[k->part] + (k->compact ? DT_COMMON_MAX : 0);

	if (taken >= DT_FUNCS_MAX)
		dt_refuse(k->b, k->b->opts->errors[0].ecb->loc, "%u ERROR clauses are more than one program can have functions (%u): "
		    "write them as fewer clauses", k->b->opts->nerrors, DT_FUNCS_MAX);
	return DT_FUNCS_MAX - taken;
}

static void make_part(struct hook *k, uint32_t part, struct dt_image_prog *p)
{
	uint32_t room;

	new_code(k);
	k->part = part;
	k->from = part ? k->shares.end[part - 1] : 0;
	k->to = k->shares.end[part];
	room = k->slot ? room_for_clauses(k) : 1;
	k->bunch = k->slot ? (k->to - k->from + room - 1) / room : 1;
	label_groups(k);
	program(k);
	for (uint32_t i = k->from; k->slot && i < k->to; i += k->bunch)
		if (!in_callback(k, i))
			subprogram(k, i, i + k->bunch < k->to ? i + k->bunch : k->to);
	loop_functions(k);
	if (k->slot)
		error_subprograms(k);
	common_functions(k);
	dt_rt_link(k->a);
	if (!dt_emit_finish(k->a))
		dt_refuse(k->b, place_of(k), "a clause is too large: a branch would be longer than 32767 instructions; make several clauses of it");
	publish(k, p);
}

/* ---- how many programs ---- */

/* What each program has anyway; walked: what a fault at any clause leads to. */
static struct dt_cost cost_of_frame(struct hook *k, struct dt_cost *walked)
{
	struct dt_emit_mark m = dt_emit_mark(k->a);
	struct dt_cost every;

	if (k->slot)
		error_subprograms(k);
	common_functions(k);
	*walked = dt_cost_since(k->b, k->a, m);
	program(k);
	every = dt_cost_since(k->b, k->a, m);
	dt_emit_back(k->a, m);
	return every;
}

static struct dt_cost cost_of_group(struct hook *k, uint32_t i)
{
	struct dt_emit_mark m = dt_emit_mark(k->a);
	struct dt_cost c;
	size_t body, own;

	k->groups.v[i].label = dt_label(k->a);
	run_group(k, &k->groups.v[i]);
	body = k->a->code.n - m.code;
	if (k->slot)
		subprogram(k, i, i + 1);
	own = k->a->code.n - m.code;
	common_functions(k);
	c = dt_cost_since(k->b, k->a, m);
	c.main = (uint32_t)body;
	c.insns = (uint32_t)own;
	dt_emit_back(k->a, m);
	return c;
}

static bool any_wants_slot(struct hook *k)
{
	for (size_t i = 0; i < k->groups.n; i++) {
		struct dt_emit_mark m = dt_emit_mark(k->a);
		bool wants = inline_clause(k, &k->groups.v[i]);

		dt_emit_back(k->a, m);
		if (wants || each_of(k, (uint32_t)i))
			return true;
	}
	return false;
}

/* All code is made to be counted, and thrown away. */
static struct dt_shares count(struct hook *k)
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

static void plan_shares(struct hook *k)
{
	struct dt_shares s;

	new_code(k);
	k->slot = any_wants_slot(k);
	k->shares.n = k->bunch = 1;
	s = count(k);
	if (s.n != 1) {
		k->compact = true;
		s = count(k);
	}
	k->shares = s;
	if (s.crowded)
		dt_refuse(k->b, k->groups.v[s.crowded - 1].en.v[0]->ecb->loc, "the aggregations and arrays of this clause, with the buffers, are %u maps, "
		    "and one program may use 64: make several clauses of it", s.maps);
	if (!s.n)
		dt_refuse(k->b, place_of(k), "the %zu clauses at one probe are more than %u programs can hold, which is what the kernel runs in a row: "
		    "enable fewer of them at a time, in several commands if need be", k->groups.n, DT_CHAIN_MAX);
}

static void lower_vtime(struct hook *k)
{
	k->chain = UINT32_MAX;
	new_code(k);
	dt_vtime_program(k->b, k->a);
	dt_emit_finish(k->a);
	publish(k, &k->b->image->progs[k->index]);
}

/* A program that keeps book of processes has no clauses. */
static void keeper(struct hook *k)
{
	uint32_t start;

	new_code(k);
	start = dt_label(k->a);
	dt_put(k->a, start);
	dt_vec_push(k->a->arena, &k->a->funcs, start);
	dt_family_keep(k->b, k->a, k->h->keep);
	(void)dt_emit_finish(k->a);
	k->chain = UINT32_MAX;
	publish(k, &k->b->image->progs[k->index]);
}

void dt_lower_hook(struct dt_build *b, const struct dt_image_hook *h, uint32_t index)
{
	struct hook k = { .b = b, .h = h, .index = index, .numbered = is_sys(h->ctx) || h->npoints > 1 };

	if (h->keep) {
		keeper(&k);
		return;
	}
	if (!h->nen) {
		lower_vtime(&k);
		return;
	}
	group_up(&k);
	k.first_exit = first_exit(&k);
	k.errors = DT_NEWN(b->arena, uint32_t, b->opts->nerrors + 1);
	plan_shares(&k);
	k.chain = UINT32_MAX;
	if (chained(&k))
		k.chain = dt_build_map(b, DT_MAP_CHAIN, BPF_MAP_TYPE_PROG_ARRAY, 4, 4, k.shares.n - 1, 0);
	make_part(&k, 0, &b->image->progs[index]);
	for (uint32_t part = 1; part < k.shares.n; part++) {
		struct dt_image_prog p = { .link = part };

		make_part(&k, part, &p);
		dt_vec_push(b->arena, &b->more, p);
	}
}
