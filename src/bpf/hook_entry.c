/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program does before any clause: it leaves when nothing is to run, reads the number of what fired,
 * and finds the enabling that is meant. What differs between the enablings of one clause (struct dt_entry:
 * epid, probe, names) is in the constants; the clause gets the address of its entry in r3.
 */
#include "bpf/hook.h"
#include "bpf/current.h"

#define ENTRIES_MAX 262144		/* of one table: 7 MiB of constants */

static struct dt_entry make_entry(struct dt_build *b, const struct dt_enabling *en)
{
	const char *const parts[] = { en->prov, en->mod, en->func, en->name };
	struct dt_entry e = { .epid = en->epid, .probe_id = en->probe_id, .site = en->site };

	for (int i = 0; i < 4; i++)
		e.part[i] = dt_pool_text(b, parts[i] ? parts[i] : "");
	return e;
}

static int number_at(const struct dt_hookcode *k) { return k->slot ? F_HOOK_NUMBER : F_NUMBER; }

/* With one group in the program itself it is needed once only, while it is still in r0. */
static bool number_is_kept(const struct dt_hookcode *k) { return k->slot || k->groups.n > 1; }

/* Code is made more than once, its constants only the first time. */
static uint32_t place_entries(
    struct dt_hookcode *k, struct dt_hookgroup *g, const struct dt_entry *e, uint32_t n)
{
	if (!g->entries)
		g->entries = 1 + dt_pool_bytes(k->b, e, n * sizeof(*e));
	return g->entries - 1;
}

/* A comparison for each number; r1 is what fired. */
static void find_by_comparing(struct dt_hookcode *k, struct dt_hookgroup *g, uint32_t next)
{
	uint32_t have = dt_label(k->a), at;
	struct dt_entry e[DT_COMPARE_MAX];

	for (size_t i = 0; i < g->en.n; i++)
		e[i] = make_entry(k->b, g->en.v[i]);
	at = place_entries(k, g, e, (uint32_t)g->en.n);
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

/*
 * How long a table is. Those of system calls are short, and have one length: the verifier walks all clauses
 * once more for each length that it has to tell from the others.
 */
static uint32_t table_length(const struct dt_hookcode *k, const struct dt_hookgroup *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; dt_ctx(k->h->ctx)->syscall && i < k->h->nen; i++)
		n = k->h->en[i].number >= n ? k->h->en[i].number + 1 : n;
	for (size_t i = 0; i < g->en.n; i++)
		n = g->en.v[i]->number >= n ? g->en.v[i]->number + 1 : n;
	return n;
}

/*
 * A table by number; an epid of 0 marks an unused row. The comparison with n bounds r1 for the verifier. When
 * the table was placed before, place_entries() does not look at the one given.
 */
static void find_in_table(struct dt_hookcode *k, struct dt_hookgroup *g, uint32_t next)
{
	struct dt_emit *a = k->a;
	struct dt_entry *table;
	uint32_t n = table_length(k, g);

	if (n > ENTRIES_MAX)
		dt_refuse(k->b, g->en.v[0]->ecb->loc,
		    "%u probes of one kind are more than one program can distinguish (%u)", n, ENTRIES_MAX);
	table = g->entries ? NULL : DT_NEWN(k->b->arena, struct dt_entry, n);
	for (size_t i = 0; table && i < g->en.n; i++)
		table[g->en.v[i]->number] = make_entry(k->b, g->en.v[i]);
	dt_jmpi(a, BPF_JGE, R1, (int32_t)n, next);
	dt_alui(a, BPF_MUL, R1, (int32_t)sizeof(struct dt_entry));
	dt_mapval(a, R3, dt_constants(k->b), place_entries(k, g, table, n));
	dt_alu(a, BPF_ADD, R3, R1);
	dt_ldx(a, B4, R1, R3, (int)offsetof(struct dt_entry, epid));
	dt_jmpi(a, BPF_JEQ, R1, 0, next);
}

void dt_hook_find_entry(struct dt_hookcode *k, struct dt_hookgroup *g, uint32_t next)
{
	if (!k->numbered)
		return;
	if (number_is_kept(k))
		dt_ldx(k->a, B8, R1, FP, number_at(k));
	else
		dt_mov(k->a, R1, R0);
	if (g->en.n == 1)
		dt_jmpi(k->a, BPF_JNE, R1, (int32_t)g->en.v[0]->number, next);
	else if (g->en.n <= DT_COMPARE_MAX)
		find_by_comparing(k, g, next);
	else
		find_in_table(k, g, next);
}

/* ---- before any clause ---- */

/* With -x follow, the processes to fire in are all the roots and their descendants. */
static void skip_other_processes(struct dt_hookcode *k, uint32_t out)
{
	const struct dt_plan_opts *o = k->b->opts;
	uint32_t in = dt_label(k->a);

	if (o->nroots) {
		dt_family_root(k->b, k->a, F_HOOK_INDEX, out);
		return;
	}
	dt_process_number(k->a, o, F_HOOK_INDEX);
	for (uint32_t i = 0; i < o->npids; i++)
		dt_jmpi(k->a, BPF_JEQ, R0, (int32_t)o->pids[i], in);
	dt_ja(k->a, out);
	dt_put(k->a, in);
}

static void skip_other_cpus(struct dt_hookcode *k, uint32_t out)
{
	dt_call(k->a, BPF_FUNC_get_smp_processor_id);
	dt_jmpi(k->a, BPF_JNE, R0, (int32_t)k->b->opts->only_cpu - 1, out);
}

/* A 32-bit program's number becomes the one that this machine has for the same call. */
void dt_hook_read_number(struct dt_hookcode *k)
{
	struct dt_emit *a = k->a;

	if (!k->numbered)
		return;
	if (dt_ctx(k->h->ctx)->syscall) {
		dt_syscall_number(a, k->b->opts, k->h->ctx);
		dt_syscall_native(k->b, a, k->h->ctx);
	} else {
		dt_mov(a, R1, R7);
		dt_call(a, BPF_FUNC_get_attach_cookie);
	}
	if (number_is_kept(k))
		dt_stx(a, B8, FP, number_at(k), R0);
}

/*
 * END runs after everything has stopped, BEGIN before anything runs; both, and ticks (RUN), run on any CPU
 * and in any process.
 */
void dt_hook_guards(struct dt_hookcode *k, uint32_t out)
{
	if (dt_hook_is_end(k))
		return;
	if (dt_hook_is_begin(k)) {		/* tracing has not started yet */
		dt_hook_skip_if_exited(k, out);
		return;
	}
	dt_hook_skip_if(k, (uint32_t)offsetof(struct dt_control, stopped), out);
	if (k->h->ctx == DT_CTX_RUN)
		return;
	if (k->h->ctx == DT_CTX_TASK)
		dt_current_guard(k->a, k->b->opts->only_cpu, out);
	else if (k->b->opts->only_cpu)
		skip_other_cpus(k, out);
	if (k->b->opts->npids)
		skip_other_processes(k, out);
	if (k->b->opts->only_cgroups)
		dt_cgroup_guard(k->b, k->a, out);
}
