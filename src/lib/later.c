/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that come while tracing. Descriptions of static probes stay when they have been matched: a program that is executed later, a
 * library that is loaded later may have more of them. Programs are held at their execve() until their probes are there (process/gate.h);
 * so are libraries that a process named with -Z opens; others are heard of when they are mapped (symbol/watch.h), a few milliseconds late. What is found joins the session (dt_trace_graft()).
 *
 * Such a clause is in the image from the beginning, at a hook that is nowhere: its variables, aggregations and records have their room
 * before its first probe is there, and what the kernel has to say against it is said at once.
 */
#include "lib/proc.h"
#include "lib/trace.h"

#include "base/glob.h"
#include "process/gate.h"
#include "symbol/watch.h"
#include "provider/objects.h"
#include "provider/provider.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

struct dt_later {
	struct dt_gate *gate;		/* NULL: this machine does not let us hold anybody */
	struct dt_watch *watch;		/* NULL: nor does it tell what is mapped */
	struct dt_map live;		/* "clause hook" that have been enabled */
	struct dt_map seen;		/* files that somebody has mapped */
};

/* ---- which clauses ---- */

void dt_later_retain(struct dt_trace *t, const struct dt_ecb *ecb, const struct dt_prog *prog)
{
	for (const struct dt_provider_row *row = dt_providers; row->name != NULL && ecb->probe.id == 0; row++) {
		struct dt_retained r = { row, ecb, prog };

		if (row->look != NULL && row->wants(&t->probes, &ecb->probe))
			dt_vec_push(t->arena, &t->retained, r);
	}
}

/* The longest argument a static probe can have, ten times. */
void dt_later_reserve(struct dt_trace *t)
{
	for (size_t i = 0; i < t->retained.n; i++) {
		const struct dt_retained *r = &t->retained.v[i];
		struct dt_probe *p = DT_NEW(t->arena, struct dt_probe);
		struct dt_enabled e = { p, r->ecb, r->prog, (uint32_t)t->enabled.n + 1, NULL };

		*p = (struct dt_probe){ .prov = r->ecb->probe.prov, .mod = "", .func = "", .name = r->ecb->probe.name, .row = r->row,
			.hook = { .kind = DT_HOOK_UPROBE, .target = "", .waiting = true, .when = "pid == 1" } };
		for (int k = 0; k < 10; k++)
			p->hook.args[k] = "*(uint64_t *)copyin(uregs[0] + ((int64_t)(int32_t)uregs[1] << 1) + (1), 8)";
		dt_vec_push(t->arena, &t->enabled, e);
	}
}

/* ---- what has come ---- */

/* True: it was not yet. */
static bool make_live(struct dt_trace *t, const struct dt_ecb *ecb, const struct dt_hook *hook)
{
	char key[64];

	snprintf(key, sizeof(key), "%p %p", (const void *)ecb, (const void *)hook);
	if (dt_map_get(&t->later->live, key) != NULL)
		return false;
	dt_map_put(&t->later->live, dt_arena_strdup(t->arena, key), t);
	return true;
}

struct joining { struct dt_trace *t; const struct dt_retained *r; };

static int join(void *ctx, const struct dt_probe *p)
{
	struct joining *j = ctx;

	for (const struct dt_hook *hook = &p->hook; hook != NULL; hook = hook->next) {
		struct dt_enabled e = { p, j->r->ecb, j->r->prog, (uint32_t)j->t->enabled.n + 1, hook };

		if (make_live(j->t, j->r->ecb, hook))
			dt_vec_push(j->t->arena, &j->t->enabled, e);
	}
	return 0;
}

/* Nobody is there to be asked: whoever traces is told, and what was there goes on. */
static void tell(struct dtrace_hdl *h, struct dt_trace *t, const char *why)
{
	char msg[1200];
	dtrace_probedesc_t none = { 0 };
	dtrace_eprobedesc_t edesc = { 0 };
	dtrace_errdata_t d = { .dteda_handle = h, .dteda_edesc = &edesc, .dteda_pdesc = &none, .dteda_msg = msg };

	snprintf(msg, sizeof(msg), "probes of a program that has been started could not be enabled: %s\n", why);
	if (t->err_f != NULL)
		(void)t->err_f(&d, t->err_arg);
}

static void enable_new(struct dtrace_hdl *h, struct dt_trace *t)
{
	size_t before = t->enabled.n;
	char msg[1024] = "";

	for (size_t i = 0; i < t->retained.n; i++) {
		struct joining j = { t, &t->retained.v[i] };

		(void)dt_probes_there(&t->probes, &j.r->ecb->probe, join, &j);
	}
	if (t->enabled.n > before && dt_trace_graft(t, msg, sizeof(msg)) != 0)
		tell(h, t, msg);
}

static void look(struct dt_trace *t, uint32_t pid, struct dt_object *o)
{
	for (size_t i = 0; i < t->retained.n; i++)
		t->retained.v[i].row->look(&t->probes, t->retained.v[i].row, &t->retained.v[i].ecb->probe, pid, o);
}

/* Is the name without a process enough, so that a file that is known is known for all? */
static bool named_by_process(const struct dt_trace *t)
{
	for (size_t i = 0; i < t->retained.n; i++) {
		const char *prov = t->retained.v[i].ecb->probe.prov;

		if (prov[0] != '\0' && prov[strlen(prov) - 1] != '*')
			return true;
	}
	return false;
}

/* ---- who tells ---- */

static bool process_named(const struct dt_trace *t, uint32_t pid)
{
	char end[16];
	size_t len = (size_t)snprintf(end, sizeof(end), "%u", pid);

	for (size_t i = 0; i < t->retained.n; i++) {
		const char *prov = t->retained.v[i].ecb->probe.prov;
		size_t n = strlen(prov);

		if (n > len && strcmp(prov + n - len, end) == 0 && !isdigit((unsigned char)prov[n - len - 1]))
			return true;
	}
	return false;
}

/* Libraries that a process loads are held too when it is named and somebody waits for them (-Z). */
static bool holds_opens(const struct dtrace_hdl *h, const struct dt_trace *t)
{
	return dt_options_on(&h->options, DT_OPT_zdefs) && h->target > 0 && process_named(t, (uint32_t)h->target);
}

/* In the process that holds: names as notes have them. */
static bool wanted(void *ctx, uint32_t pid, const char *provider)
{
	const struct dt_trace *t = ctx;
	char base[256], full[270];
	size_t n = 0;

	if (provider == NULL)
		return process_named(t, pid);

	for (const char *c = provider; *c != '\0' && n < sizeof(base) - 1; c++) {
		if (c[0] == '_' && c[1] == '_')
			c++, base[n++] = '-';
		else
			base[n++] = *c;
	}
	base[n] = '\0';
	snprintf(full, sizeof(full), "%s%u", base, pid);
	for (size_t i = 0; i < t->retained.n; i++) {
		const char *prov = t->retained.v[i].ecb->probe.prov;

		if (dt_glob_match(prov, base) || dt_glob_match(prov, full))
			return true;
	}
	return false;
}

static void read_gate(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_gate_event e;

	while (t->later->gate != NULL && dt_gate_next(t->later->gate, &e)) {
		struct dt_object *o = dt_object_opened(&t->probes, e.fd);

		if (o != NULL)
			look(t, e.pid, o);
		enable_new(h, t);
		dt_gate_answer(t->later->gate, &e, !named_by_process(t));
		close(e.fd);
	}
}

static void look_at(void *ctx, uint32_t pid) { look(ctx, pid, NULL); }

enum { MOST = 256 };			/* processes that are looked at one by one; of more all are */
struct news { struct dt_trace *t; uint32_t pids[MOST]; size_t n; bool lost, by_process; };

static void heard(void *ctx, const struct dt_watch_event *e)
{
	struct news *n = ctx;

	n->lost |= e->kind == DT_WATCH_LOST;
	if (e->kind != DT_WATCH_MAP || e->path[0] != '/' || (n->n > 0 && n->pids[n->n - 1] == e->pid))
		return;
	if (!n->by_process) {
		if (dt_map_get(&n->t->later->seen, e->path) != NULL)
			return;
		dt_map_put(&n->t->later->seen, dt_arena_strdup(n->t->arena, e->path), n->t);
	}
	if (n->n == MOST)
		n->lost = true;
	else
		n->pids[n->n++] = e->pid;
}

static void read_watch(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct news n = { .t = t, .by_process = named_by_process(t) };

	if (t->later->watch == NULL)
		return;
	(void)dt_watch_read(t->later->watch, heard, &n);
	for (size_t i = 0; i < n.n && !n.lost; i++)
		look(t, n.pids[i], NULL);
	if (n.lost)
		dt_each_process(look_at, t);
	if (n.lost || n.n > 0)
		enable_new(h, t);
}

/* ---- beginning and end ---- */

void dt_later_begin(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_later *l;

	if (t->retained.n == 0)
		return;
	l = t->later = DT_NEW(t->arena, struct dt_later);
	dt_map_init(&l->live, t->arena);
	dt_map_init(&l->seen, t->arena);
	for (size_t i = 0; i < t->enabled.n; i++)
		for (const struct dt_hook *hook = &t->enabled.v[i].probe->hook; hook != NULL; hook = hook->next)
			(void)make_live(t, t->enabled.v[i].ecb, hook);
	if (dt_watch_open(&l->watch) != 0)
		l->watch = NULL;
	if (dt_gate_open(&l->gate, holds_opens(h, t), wanted, t) != 0)
		l->gate = NULL;
	if (l->gate != NULL)
		(void)dt_session_wake_by(t->session, dt_gate_fd(l->gate));
	dt_each_process(look_at, t);		/* what was started since the descriptions were matched */
	enable_new(h, t);
}

void dt_later_work(struct dtrace_hdl *h, struct dt_trace *t)
{
	if (t->later == NULL)
		return;
	read_gate(h, t);
	read_watch(h, t);
}

void dt_later_end(struct dt_trace *t)
{
	if (t->later == NULL)
		return;
	dt_gate_close(t->later->gate);
	dt_watch_close(t->later->watch);
	t->later = NULL;
}
