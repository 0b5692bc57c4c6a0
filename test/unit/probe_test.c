/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of probes: what each provider makes, how descriptions match, what is said when nothing does. */
#include "check.h"

#include "dtrace.h"
#include "kernel/kernel.h"
#include "provider/derived.h"
#include "provider/probe.h"
#include "provider/provider.h"
#include "provider/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct table {
	struct dt_arena *arena;
	struct dt_types *types;
	struct dt_probes probes;
};

static void table_open(struct table *t)
{
	t->arena = dt_arena_new();
	t->types = dt_types_new();
	dt_types_btf(t->types, dt_kernel_btf, NULL);
	dt_probes_init(&t->probes, t->arena, t->types);
}

static void table_close(struct table *t)
{
	dt_probes_fini(&t->probes);
	dt_types_free(t->types);
	dt_arena_free(t->arena);
}

#define ON_DEMAND(id) ((id) >= 1000000)

struct got { const struct dt_probe *last; uint32_t n, prev; int unordered; };

static int take(void *ctx, const struct dt_probe *p)
{
	struct got *g = ctx;

	g->unordered |= !ON_DEMAND(p->id) && p->id <= g->prev;	/* listed probes, then the others */
	g->prev = p->id;
	g->last = p;
	g->n++;
	return 0;
}

/* How many match "prov:mod:func:name"; the last one in *p, the reason in *why. */
static int match(struct table *t, const char *text, const struct dt_probe **p, const char **why)
{
	char part[4][64] = { "" };
	struct got g = { 0 };
	unsigned n = 0;
	int ret;

	for (size_t len = 0; *text; text++) {
		if (*text == ':') {
			n++;
			len = 0;
		} else {
			part[n][len++] = *text;
		}
	}
	ret = dt_probes_match(&t->probes, &(struct dt_probedesc){ part[0], part[1], part[2], part[3], 0 },
	    take, &g, why);
	CHECK_INT(ret, g.n);
	CHECK(!g.unordered);
	if (p)
		*p = g.last;
	return ret;
}

static int refuse(void *ctx, const struct dt_probe *p)
{
	(void)ctx, (void)p;
	return -ECANCELED;
}

static void test_begin(void)
{
	struct table t;
	const struct dt_probe *p;
	double start = now_ms();

	table_open(&t);
	CHECK_INT(match(&t, ":::BEGIN", &p, NULL), 1);
	CHECK_INT(t.probes.list.n, 3);			/* nobody else was asked */
	CHECK(now_ms() - start < 50);
	CHECK_INT(p->id, 1);
	CHECK_STR(p->prov, "dtrace");
	CHECK_INT(p->hook.kind, DT_HOOK_RUN);
	CHECK_INT(match(&t, "dtrace:::END", &p, NULL), 1);
	CHECK_INT(p->id, 2);
	CHECK_INT(match(&t, "d*:::E*", &p, NULL), 2);
	CHECK_INT(p->id, 3);
	CHECK_INT(p->hook.kind, DT_HOOK_NONE);
	table_close(&t);
}

static void test_profile(void)
{
	static const struct { const char *name; int kind; uint64_t interval; } good[] = {
		{ "profile-97", DT_HOOK_PERF, 1000000000 / 97 },
		{ "profile-997hz", DT_HOOK_PERF, 1000000000 / 997 }, { "tick-1", DT_HOOK_TICK, 1000000000 },
		{ "tick-1s", DT_HOOK_TICK, 1000000000 }, { "tick-1SEC", DT_HOOK_TICK, 1000000000 },
		{ "tick-200us", DT_HOOK_TICK, 200000 }, { "tick-200000nsec", DT_HOOK_TICK, 200000 },
		{ "profile-5000", DT_HOOK_PERF, 200000 }, { "tick-10msec", DT_HOOK_TICK, 10000000 },
		{ "tick-2m", DT_HOOK_TICK, 120000000000 }, { "tick-1hour", DT_HOOK_TICK, 3600000000000 },
		{ "tick-3day", DT_HOOK_TICK, 3 * 86400000000000 },
	};
	static const char *const bad[] = {
		"tick-0", "tick-", "tick-1x", "profile-5001", "tick-199us", "tick-1ns",
		"tick-99999999999999999999", "tick-99999999999d", "profile", "profile-s", "tick--1", "frob-1",
	};
	struct table t;
	const struct dt_probe *p;
	const char *why;
	char text[64];

	table_open(&t);
	CHECK_INT(match(&t, "profile:::", NULL, NULL), 13);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(text, sizeof(text), "%s:::%s", i % 2 ? "profile" : "", good[i].name);
		if (!CHECK_INT(match(&t, text, &p, &why), 1))
			continue;
		CHECK_INT(p->hook.kind, good[i].kind);
		CHECK_INT(p->hook.interval, good[i].interval);
		CHECK_STR(p->name, good[i].name);
		CHECK_INT(match(&t, text, NULL, NULL), 1);	/* the same again */
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "profile:::%s", bad[i]);
		CHECK_INT(match(&t, text, NULL, &why), 0);
		CHECK(why != NULL);
	}
	CHECK_INT(match(&t, "profile:::tick-77*", NULL, NULL), 0);
	CHECK_INT(match(&t, "profile:x::tick-77", NULL, NULL), 0);
	for (int i = 10; i < 1100; i++) {
		snprintf(text, sizeof(text), "profile:::tick-%dms", i);
		if (match(&t, text, NULL, &why) == 0)
			break;
	}
	CHECK_INT(match(&t, "profile:::", NULL, NULL), 1000);
	CHECK_STR(why, "there are 1000 profile and tick probes already");
	table_close(&t);
}

static void test_syscall(void)
{
	struct table t;
	const struct dt_probe *p;
	const char *why;
	int entries, returns;

	table_open(&t);
	CHECK_INT(match(&t, "syscall::read:entry", &p, NULL), 1);
	CHECK_STR(p->mod, "vmlinux");
	CHECK_INT(p->hook.kind, DT_HOOK_SYS_ENTER);
	CHECK_INT(match(&t, "syscall:kernel:openat:return", &p, NULL), 1);
	CHECK_INT(p->hook.kind, DT_HOOK_SYS_EXIT);
	CHECK_INT(match(&t, "syscall::newfstatat:", NULL, NULL), 2);
	entries = match(&t, "syscall:::entry", NULL, NULL);
	returns = match(&t, "syscall:::return", NULL, NULL);
	CHECK(entries > 290);
	CHECK_INT(entries - returns, 3);
	CHECK_INT(match(&t, "syscall::exit*:return", NULL, NULL), 0);
	CHECK_INT(match(&t, "syscall::exit_group:return", NULL, &why), 0);
	CHECK_STR(why, "the system call exit_group never returns");
	CHECK_INT(match(&t, "syscall::*read*:entry", NULL, NULL) > 4, 1);
	CHECK_INT(match(&t, "::read:entry", NULL, NULL), 1);
	CHECK_INT(match(&t, "syscall::newuname:entry", &p, NULL), 1);	/* the kernel's name for uname */
	CHECK_INT(match(&t, "syscall::opnat:entry", NULL, &why), 0);
	CHECK(why && strstr(why, "did you mean open"));
#ifdef __aarch64__
	CHECK_INT(match(&t, "syscall::open:entry", NULL, &why), 0);
	CHECK_STR(why, "there is no system call open on this machine; did you mean openat?");
#endif
	CHECK_INT(dt_probes_match(&t.probes, &(struct dt_probedesc){ "syscall", "", "", "", 0 }, refuse, NULL,
	    NULL), -ECANCELED);
	table_close(&t);
	for (const struct dt_syscall *s = dt_syscalls; s[0].name[0] && s[1].name[0]; s++)
		CHECK(strcmp(s[0].name, s[1].name) < 0);
}

static void test_tracepoints(void)
{
	struct table t;
	const struct dt_probe *p;
	const char *why;
	int n;

	table_open(&t);
	n = match(&t, "sdt:::", NULL, &why);
	if (n == 0) {
		printf("probe_test: no kernel type data here: tracepoints are not tested (%s)\n",
		    why ? why : "");
		table_close(&t);
		return;
	}
	CHECK(n > 500);
	CHECK_INT(match(&t, "rawtp:::", NULL, NULL), n);
	CHECK_INT(match(&t, "sdt:::sched_switch", &p, NULL), 1);
	CHECK_INT(p->hook.kind, DT_HOOK_RAWTP);
	CHECK_STR(p->hook.target, "sched_switch");
	CHECK_INT(dt_hook_nargs(t.types, &p->hook), 4);
	CHECK_INT(match(&t, ":::sched_switch", NULL, NULL), 2);
	if (p->mod[0]) {
		CHECK_STR(p->mod, "sched");
		CHECK_INT(match(&t, "rawtp:sched::sched_switch", NULL, NULL), 1);
		CHECK_INT(match(&t, "rawtp:irq::sched_switch", NULL, &why), 0);
		CHECK_STR(why, "the tracepoint sched_switch is in another group");
	} else {
		printf("probe_test: tracefs cannot be read: groups are not tested\n");
	}
	CHECK_INT(match(&t, "sdt:::sched_swich", NULL, &why), 0);
	CHECK(why && strstr(why, "did you mean sched_switch"));
	table_close(&t);
}

static void test_others(void)
{
	struct table t;
	const char *why;

	table_open(&t);
	/* a kernel whose functions cannot be traced */
	if (match(&t, "proc:::start", NULL, &why) == 0)
		CHECK(why && strstr(why, "schedule_tail"));
	CHECK_INT(match(&t, "proc:::create", NULL, NULL), 1);
	CHECK_INT(match(&t, "pid4194304:a.out::entry", NULL, &why), 0);
	CHECK_STR(why, "there is no process 4194304 that runs a program");
	CHECK_INT(match(&t, "pid:a.out::entry", NULL, &why), 0);
	CHECK(why && strstr(why, "pid$target"));
	CHECK_INT(match(&t, "sycall:::", NULL, &why), 0);
	CHECK_STR(why, "there is no provider sycall; did you mean syscall?");
	CHECK_INT(match(&t, "nobody_knows_this:::", NULL, &why), 0);
	CHECK_STR(why,
	    "there is no provider nobody_knows_this, and no running process has static probes of that name "
	    "(-Z waits for one that has)");
	CHECK_INT(match(&t, ":::no-such-name", NULL, &why), 0);
	CHECK(why == NULL);
	table_close(&t);
	/* without types there are no tracepoints */
	dt_probes_init(&t.probes, t.arena = dt_arena_new(), NULL);
	CHECK_INT(match(&t, "sdt:::", NULL, NULL), 0);
	CHECK(match(&t, ":::", NULL, NULL) > 600);
	dt_arena_free(t.arena);
}

/* N9: a number, once given, is that probe's alone and finds it; probes on demand take no listed number. */
static void check_found(struct table *t, const struct dt_probe *p)
{
	struct got g = { 0 };
	struct dt_probedesc d = { "", "", "", "", p->id };

	CHECK_INT(dt_probes_match(&t->probes, &d, take, &g, NULL), 1);
	CHECK(g.last == p);
	CHECK(dt_probes_by_id(&t->probes, p->id) == p);
}

static void test_on_demand(void)
{
	struct table t, other;
	const struct dt_probe *p, *q, *tick;
	char text[64];

	table_open(&t);
	CHECK_INT(match(&t, "profile:::tick-123ms", &tick, NULL), 1);
	CHECK(ON_DEMAND(tick->id));
	for (int i = 0; i < 300; i++) {		/* more than the first table of numbers has room for */
		snprintf(text, sizeof(text), "profile:::tick-%dms", 200 + i);
		CHECK_INT(match(&t, text, &p, NULL), 1);
		CHECK(p->id != tick->id);
		check_found(&t, p);
	}
	check_found(&t, tick);
	CHECK_INT(match(&t, "profile:::profile-97", &p, NULL), 1);
	check_found(&t, p);
	CHECK_INT(match(&t, "syscall::write:entry", &p, NULL), 1);
	check_found(&t, p);
	table_open(&other);			/* the same numbers in another run */
	CHECK_INT(match(&other, "profile:::tick-499ms", NULL, NULL), 1);
	CHECK_INT(match(&other, "profile:::tick-123ms", &q, NULL), 1);
	CHECK_INT(q->id, tick->id);
	CHECK_INT(match(&other, "syscall::write:entry", &q, NULL), 1);
	CHECK_INT(q->id, p->id);
	CHECK(dt_probes_by_id(&other.probes, 0) == NULL);
	CHECK(dt_probes_by_id(&other.probes, UINT32_MAX) == NULL);
	table_close(&other);
	table_close(&t);
}

/* Numbers: dense, the same whatever was asked first, and found by -i even after probes on demand. */
static void test_numbers(void)
{
	struct table all, few;
	const struct dt_probe *p, *q;
	struct got g = { 0 };
	double start = now_ms(), listed;
	int n;

	table_open(&all);
	n = match(&all, ":::", NULL, NULL);
	listed = now_ms() - start;
	printf("probe_test: %d probes listed in %.1f ms (with reading of kernel types and tracefs)\n", n,
	    listed);
	start = now_ms();
	CHECK_INT(match(&all, ":::", NULL, NULL), n);
	printf("probe_test: and again in %.2f ms\n", now_ms() - start);
	CHECK_INT(all.probes.list.n, n);
	for (int i = 0; i < n; i++)
		CHECK(all.probes.list.v[i]->id == (uint32_t)i + 1);
	table_open(&few);
	CHECK_INT(match(&few, "profile:::tick-123ms", NULL, NULL), 1);
	CHECK_INT(match(&all, "syscall::write:entry", &p, NULL), 1);
	CHECK_INT(dt_probes_match(&few.probes, &(struct dt_probedesc){ "", "", "", "", p->id }, take, &g,
	    NULL), 1);
	CHECK_STR(g.last->func, "write");
	CHECK_INT(dt_probes_match(&few.probes, &(struct dt_probedesc){ "", "", "", "", (uint32_t)n + 1 },
	    take, &g, NULL), 0);
	table_close(&few);
	table_open(&few);
	CHECK_INT(match(&few, "proc:::exit", &q, NULL), 1);
	CHECK_INT(match(&all, "proc:::exit", &p, NULL), 1);
	CHECK_INT(p->id, q->id);
	table_close(&few);
	table_close(&all);
}

/* A derived probe's D texts, as clauses where the arguments are those of its place. */
static void compile(dtrace_hdl_t *dtp, const char *where, const char *when, const char *arg)
{
	char text[2048];
	dtrace_prog_t *prog;

	snprintf(text, sizeof(text), "%s %s%s%s { trace(%s); }", where, when ? "/" : "", when ? when : "",
	    when ? "/" : "", arg ? arg : "0");
	prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (!CHECK(prog != NULL))
		fprintf(stderr, "%s\n%s\n", text, dtrace_errmsg(dtp, dtrace_errno(dtp)));
}

static void test_derived(void)
{
	struct table t;
	dtrace_hdl_t *dtp;
	int err, n = 0;

	table_open(&t);
	match(&t, "proc:::", NULL, NULL);
	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	if (!CHECK(dtp != NULL))
		return;
	for (size_t i = 0; i < t.probes.list.n; i++) {
		const struct dt_probe *p = t.probes.list.v[i];

		if (strcmp(p->prov, "proc") != 0)
			continue;
		n++;
		for (const struct dt_hook *h = &p->hook; h; h = h->next) {
			char where[128];

			snprintf(where, sizeof(where), h->kind == DT_HOOK_RAWTP ? "rawtp:::%s" :
			    "syscall:::%s", h->kind == DT_HOOK_RAWTP ? h->target :
			    h->kind == DT_HOOK_SYS_ENTER ? "entry" : "return");
			compile(dtp, where, h->when, NULL);
			for (int k = 0; k < 10 && h->args[k]; k++)
				compile(dtp, where, NULL, h->args[k]);
		}
	}
	CHECK_INT(n, 12);
	dtrace_close(dtp);
	table_close(&t);
}

/* What other code relies on without asking. */
static void test_providers(void)
{
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL; at++) {
		CHECK(row->name != NULL && row->form != NULL && row->doc != NULL && row->provide != NULL);
		CHECK(dt_provider_find(row->name) == row);
		CHECK(row->look == NULL || row->wants != NULL);
		CHECK(row->nameless[0] == NULL || (row->nameless[1] != NULL && row->wants != NULL));
		CHECK((row->derived != NULL) == (row->provide == dt_derived_provide));
		for (int i = 0; i < 5; i++)
			CHECK(row->attrs.part[i].name != 0);
	}
}

int main(void)
{
	test_providers();
	test_begin();
	test_profile();
	test_syscall();
	test_tracepoints();
	test_others();
	test_numbers();
	test_on_demand();
	test_derived();
	return CHECK_DONE("probe_test");
}
