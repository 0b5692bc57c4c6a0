/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program: the clauses enabled at one hook. When none of them needs memory beyond the stack they stand one after the
 * other in the program itself; else a slot is claimed and each is a subprogram (context, slot, entry). System calls share
 * a hook, and so do kernel functions and places in processes: clauses are found by number (of the call, or the cookie of
 * the point that fired), and one piece of code serves all that a clause is enabled for.
 */
#include "bpf/build.h"

#define FEW 4				/* numbers found by comparing; more have a table */
#define MOST 262144
enum { M_INDEX = -8, M_NUMBER = -16, M_NUMBER_INLINE = -392, M_DROP = -24 };	/* frame of the program itself */

struct group {				/* enablings that share code */
	DT_VEC(const struct dt_enabling *) en;
	uint32_t label;			/* of the subprogram */
};

struct hook {
	struct dt_build *b;
	struct dt_emit *a;
	const struct dt_image_hook *h;
	DT_VEC(struct group) groups;
	uint32_t *errors;		/* labels of the ERROR clauses */
	bool slot;
	bool numbered;			/* what fired is told by a number */
};

static bool is_sys(enum dt_image_ctx ctx) { return ctx == DT_CTX_SYS_ENTER || ctx == DT_CTX_SYS_EXIT; }

/* These may be preempted, by another program of ours on the same CPU too. */
static bool preemptible(enum dt_image_ctx ctx)
{
	return ctx == DT_CTX_FENTRY || ctx == DT_CTX_FEXIT || ctx == DT_CTX_UPROBE || ctx == DT_CTX_URETPROBE;
}

static bool same_code(const struct dt_enabling *x, const struct dt_enabling *y)
{
	return x->ecb == y->ecb && x->when == y->when && memcmp(x->args, y->args, sizeof(x->args)) == 0;
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
	return (struct dt_lower){ .b = k->b, .a = k->a, .ctx = k->h->ctx, .en = en, .shared = shared, .slot = slot,
		.derived = en->args[0] != NULL, .nargs = k->h->nargs_known ? k->h->nargs : UINT32_MAX, .args_off = S_ARGS,
		.locals_off = k->b->slot_locals };
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

static bool any_wants_slot(struct hook *k)
{
	for (size_t i = 0; i < k->groups.n; i++) {
		struct dt_emit_mark m = dt_emit_mark(k->a);
		bool wants = inline_clause(k, &k->groups.v[i]);

		dt_emit_back(k->a, m);
		if (wants)
			return true;
	}
	return false;
}

static void subprogram(struct hook *k, uint32_t label, struct dt_lower *l, bool zero_locals)
{
	struct dt_emit *a = k->a;
	uint32_t done = dt_label(a);

	dt_put(a, label);
	dt_vec_push(a->arena, &a->funcs, label);
	dt_mov(a, R7, R1);
	dt_mov(a, R6, R2);
	if (l->shared)
		dt_stx(a, B8, FP, F_ENTRY, R3);
	if (zero_locals)
		dt_locals_zero(l);
	dt_lower_clause(l, done);
	dt_put(a, done);
	dt_exit(a);
}

static void subprograms(struct hook *k)
{
	for (size_t i = 0; i < k->groups.n; i++) {
		struct group *g = &k->groups.v[i];
		struct dt_lower l = lower_for(k, g->en.v[0], g->en.n > 1, true);

		subprogram(k, g->label, &l, false);
	}
	dt_plan_locals(k->b, k->b->opts->errors, k->b->opts->nerrors);
	for (uint32_t i = 0; i < k->b->opts->nerrors; i++) {
		struct dt_lower l = lower_for(k, &k->b->opts->errors[i], false, true);

		l.error = true;
		l.derived = false;
		l.args_off = S_ERROR_ARGS;
		l.locals_off = k->b->slot_locals + k->b->locals_size;
		subprogram(k, k->errors[i], &l, i == 0);
	}
}

/* ---- which enabling ---- */

static struct dt_entry entry_of(struct dt_build *b, const struct dt_enabling *en)
{
	const char *const parts[] = { en->prov, en->mod, en->func, en->name };
	struct dt_entry e = { .epid = en->epid, .probe_id = en->probe_id };

	for (int i = 0; i < 4; i++)
		e.part[i] = dt_pool_text(b, parts[i] ? parts[i] : "");
	return e;
}

static int number_at(const struct hook *k) { return k->slot ? M_NUMBER : M_NUMBER_INLINE; }

/* Else it is looked at once, while it is in r0. */
static bool number_kept(const struct hook *k) { return k->slot || k->groups.n > 1; }

/* R3 = the entry, or on to `next`. */
static void entry_few(struct hook *k, const struct group *g, uint32_t next)
{
	uint32_t have = dt_label(k->a);

	for (size_t i = 0; i < g->en.n; i++) {
		struct dt_entry e = entry_of(k->b, g->en.v[i]);
		uint32_t other = i + 1 < g->en.n ? dt_label(k->a) : next;

		dt_jmpi(k->a, BPF_JNE, R1, (int32_t)g->en.v[i]->number, other);
		dt_mapval(k->a, R3, dt_constants(k->b), dt_pool_bytes(k->b, &e, sizeof(e)));
		if (i + 1 < g->en.n) {
			dt_ja(k->a, have);
			dt_put(k->a, other);
		}
	}
	dt_put(k->a, have);
}

static void entry_table(struct hook *k, const struct group *g, uint32_t next)
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
	table = DT_NEWN(k->b->arena, struct dt_entry, n);
	for (size_t i = 0; i < g->en.n; i++)
		table[g->en.v[i]->number] = entry_of(k->b, g->en.v[i]);
	dt_jmpi(a, BPF_JGE, R1, (int32_t)n, next);
	dt_alui(a, BPF_MUL, R1, (int32_t)sizeof(struct dt_entry));
	dt_mapval(a, R3, dt_constants(k->b), dt_pool_bytes(k->b, table, n * sizeof(*table)));
	dt_alu(a, BPF_ADD, R3, R1);
	dt_ldx(a, B4, R1, R3, (int)offsetof(struct dt_entry, epid));
	dt_jmpi(a, BPF_JEQ, R1, 0, next);
}

static void find_entry(struct hook *k, const struct group *g, uint32_t next)
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

/* ---- the program ---- */

static void only_pids(struct hook *k, uint32_t out)
{
	const struct dt_image_opts *o = k->b->opts;
	uint32_t in = dt_label(k->a);

	dt_call(k->a, BPF_FUNC_get_current_pid_tgid);
	dt_alui(k->a, BPF_RSH, R0, 32);
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

static void guards(struct hook *k, uint32_t out)
{
	struct dt_emit *a = k->a;

	dt_mov(a, R7, R1);
	if (k->h->ctx != DT_CTX_RUN) {
		dt_mapval(a, R1, dt_control_map(k->b), (uint32_t)offsetof(struct dt_control, stopped));
		dt_ldx(a, B4, R1, R1, 0);
		dt_jmpi(a, BPF_JNE, R1, 0, out);
	}
	if (k->b->opts->only_cpu && k->h->ctx != DT_CTX_RUN)
		only_cpu(k, out);
	if (k->b->opts->npids && k->h->ctx != DT_CTX_RUN)
		only_pids(k, out);
	if (!k->numbered)
		return;
	if (is_sys(k->h->ctx)) {
		dt_syscall_number(a, k->b->opts, k->h->ctx);
	} else {
		dt_mov(a, R1, R7);
		dt_call(a, BPF_FUNC_get_attach_cookie);
	}
	if (number_kept(k))
		dt_stx(a, B8, FP, number_at(k), R0);
}

/* Nobody else has it: to `got`, with S_BUSY set and the slot still in r0. */
static void take(struct hook *k, uint32_t got)
{
	struct dt_emit *a = k->a;

	if (!preemptible(k->h->ctx)) {
		dt_ldx(a, B8, R1, R0, S_BUSY);
		dt_jmpi(a, BPF_JEQ, R1, 0, got);
		return;
	}
	dt_mov(a, R3, R0);
	dt_imm(a, R0, 0);
	dt_imm(a, R1, 1);
	dt_atomic(a, BPF_CMPXCHG, R3, S_BUSY, R1);
	dt_mov(a, R1, R0);
	dt_mov(a, R0, R3);
	dt_jmpi(a, BPF_JEQ, R1, 0, got);
}

/*
 * A free slot of this CPU in r6. Most hooks run with preemption off, so that only interrupts come between, and they are
 * over before we go on: a plain test is enough there.
 */
static void claim(struct hook *k, uint32_t out)
{
	struct dt_emit *a = k->a;
	uint32_t got = dt_label(a), none = dt_label(a);

	dt_call(a, BPF_FUNC_get_smp_processor_id);
	dt_alui(a, BPF_MUL, R0, DT_NSLOTS);
	dt_stx(a, B8, FP, M_INDEX, R0);
	for (int i = 0; i < DT_NSLOTS; i++) {
		if (i) {
			dt_ldx(a, B8, R1, FP, M_INDEX);
			dt_alui(a, BPF_ADD, R1, 1);
			dt_stx(a, B8, FP, M_INDEX, R1);
		}
		dt_map(a, R1, dt_slots(k->b));
		dt_fpaddr(a, R2, M_INDEX);
		dt_call(a, BPF_FUNC_map_lookup_elem);
		dt_jmpi(a, BPF_JEQ, R0, 0, none);
		take(k, got);
	}
	dt_put(a, none);
	dt_drop_at(k->b, a, M_DROP, offsetof(struct dt_drops, slot));
	dt_ja(a, out);
	dt_put(a, got);
	dt_mov(a, R6, R0);
	dt_sti(a, B8, R6, S_BUSY, 1);
	dt_sti(a, B8, R6, S_TOK_POS, -1);	/* strtok() has nothing yet */
}

static void call_clause(struct hook *k, const struct group *g)
{
	struct dt_emit *a = k->a;
	uint32_t fine = dt_label(a);

	dt_mov(a, R1, R7);
	dt_mov(a, R2, R6);
	dt_callsub(a, g->label);
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

static void body(struct hook *k)
{
	struct dt_emit *a = k->a;

	for (size_t i = 0; i < k->groups.n; i++) {
		struct group *g = &k->groups.v[i];
		uint32_t next = dt_label(a);

		find_entry(k, g, next);
		if (k->slot) {
			call_clause(k, g);
		} else {
			if (g->en.n > 1)
				dt_stx(a, B8, FP, F_ENTRY, R3);
			inline_clause(k, g);
		}
		dt_put(a, next);
	}
}

static void program(struct hook *k)
{
	struct dt_emit *a = k->a;
	uint32_t out = dt_label(a), start = dt_label(a);

	dt_put(a, start);
	dt_vec_push(a->arena, &a->funcs, start);
	guards(k, out);
	if (k->slot) {
		struct dt_lower l = { .b = k->b, .a = a, .locals_off = k->b->slot_locals };

		claim(k, out);
		dt_plan_locals(k->b, k->h->en, k->h->nen);
		dt_locals_zero(&l);
	}
	body(k);
	if (k->slot)
		dt_sti(a, B8, R6, S_BUSY, 0);
	dt_put(a, out);
	dt_imm(a, R0, 0);
	dt_exit(a);
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
		[DT_CTX_RUN] = "run", [DT_CTX_FENTRY] = "fentry", [DT_CTX_FEXIT] = "fexit", [DT_CTX_KPROBE] = "kprobe",
		[DT_CTX_KRETPROBE] = "kretprobe", [DT_CTX_UPROBE] = "uprobe", [DT_CTX_URETPROBE] = "uretprobe",
	};
	struct dt_emit *a = k->a;

	strcpy(p->name, "dt_");
	strcat(p->name, names[k->h->ctx]);
	p->ctx = k->h->ctx;
	p->insns = a->code.v;
	p->ninsns = (uint32_t)a->code.n;
	p->relocs = a->relocs.v;
	p->nrelocs = (uint32_t)a->relocs.n;
	p->difo_at = a->difo_at.v;
	p->difpc_at = a->difpc_at.v;
	if (a->callbacks)		/* "missing btf func_info" else */
		functions(k, p);
}

void dt_lower_hook(struct dt_build *b, const struct dt_image_hook *h, uint32_t index)
{
	struct dt_emit *a = DT_NEW(b->arena, struct dt_emit);
	struct hook k = { .b = b, .a = a, .h = h, .numbered = is_sys(h->ctx) || h->npoints > 1 };

	a->arena = b->arena;
	dt_label(a);			/* number 0 means "no label" */
	group_up(&k);
	k.errors = DT_NEWN(b->arena, uint32_t, b->opts->nerrors + 1);
	k.slot = any_wants_slot(&k);
	for (size_t i = 0; i < k.groups.n; i++)
		k.groups.v[i].label = dt_label(a);
	for (uint32_t i = 0; i < b->opts->nerrors; i++)
		k.errors[i] = dt_label(a);
	program(&k);
	if (k.slot)
		subprograms(&k);
	dt_rt_link(a);
	if (!dt_emit_finish(a))
		dt_refuse(b, h->nen ? h->en[0].ecb->loc : (struct dt_loc){ 0 }, "the clauses at one probe are too large together: a branch would be longer than "
		    "32767 instructions; enable fewer of them at a time, in several commands if need be");
	publish(&k, &b->image->progs[index]);
}
