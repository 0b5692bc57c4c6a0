/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that come while tracing. Descriptions of static probes, and those of functions in any module, stay
 * in use after they have been matched, because a program that is executed later, or a library that is loaded
 * later, may have more of them. An engine may learn of those by itself (dt_engine_ops.arrived). Else
 * programs with static probes are held at their execve() until their probes are there (process/gate.h); with
 * -Z so are libraries that a traced process opens. Others are heard of when they are mapped (symbol/watch.h),
 * a few milliseconds late. What is found joins the session (dt_trace_graft()).
 *
 * Such a clause is in the image from the beginning, at a hook that is nowhere: its variables, aggregations
 * and records have their room before its first probe exists, and what the kernel has to say against it is
 * said at once.
 */
#include "trace/trace_procs.h"
#include "trace/trace.h"

#include "base/glob.h"
#include "process/gate.h"
#include "symbol/watch.h"
#include "provider/objects.h"
#include "provider/provider.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

struct dt_later {
	struct dt_gate *gate;		/* NULL: processes cannot be held on this machine */
	struct dt_watch *watch;		/* NULL: new mappings are not reported either */
	struct dt_map live;		/* "clause hook" that have been enabled */
	struct dt_map seen;		/* files that a process has mapped */
	uint32_t known;			/* probes that have been matched */
	uint32_t *roots, nroots;	/* the processes of -c and -p */
};

/* ---- which clauses ---- */

/* The number that a provider ends in: a process. 0: none. */
static uint32_t process_of(const struct dt_retained *r)
{
	const char *prov = r->ecb->probe.prov, *end = prov + strlen(prov), *at = end;

	while (at > prov && isdigit((unsigned char)at[-1]))
		at--;
	return at > prov && at < end ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

/*
 * Keeps a clause for later if a provider that finds probes while tracing wants its description. A description
 * by number is complete: it names one probe.
 */
void dt_later_retain(struct dt_trace *t, const struct dt_ecb *ecb, const struct dt_prog *prog, bool zdefs)
{
	if (ecb->probe.id != 0)
		return;
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL; at++) {
		struct dt_retained r = { row, ecb, prog };

		if (row->look != NULL && row->wants(&t->h->probes, &ecb->probe) &&
		    (zdefs || row->grows == NULL || row->grows(&ecb->probe)))
			dt_vec_push(t->arena, &t->retained, r);
	}
}

/*
 * Enables each retained clause at a probe that never fires. Its arguments are ten times the longest form a
 * static probe's argument can have, so that the verifier sees the worst case now. With -x follow it belongs
 * to the process, so that the kernel keeps the descendants from the start.
 */
void dt_later_reserve(struct dt_trace *t)
{
	for (size_t i = 0; i < t->retained.n; i++) {
		const struct dt_retained *r = &t->retained.v[i];
		struct dt_probe *p = DT_NEW(t->arena, struct dt_probe);
		struct dt_enabled e = { p, r->ecb, r->prog, (uint32_t)t->enabled.n + 1, NULL };

		*p = (struct dt_probe){ .prov = r->ecb->probe.prov, .mod = "", .func = "",
			.name = r->ecb->probe.name, .row = r->row, .every = process_of(r) == 0,
			.hook = { .kind = DT_HOOK_UPROBE, .target = "", .waiting = true,
				.when = "pid == 1", .root = t->h->probes.follow ? process_of(r) : 0 } };
		for (int k = 0; k < 10; k++)
			p->hook.args[k] =
			    "*(uint64_t *)copyin(uregs[0] + ((int64_t)(int32_t)uregs[1] << 1) + (1), 8)";
		dt_vec_push(t->arena, &t->enabled, e);
	}
}

/* ---- what has come ---- */

/* Notes that a clause is enabled at a place. True: it was not yet, so the caller enables it. */
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

/* A probe of a function has all its places when it is made; a static one may get more. */
static bool is_complete(const struct dt_retained *r)
{
	return r->row->per_process && process_of(r) != 0;
}

/* Enables the clause at each place of a probe where it is not yet. */
static int join_probe(void *ctx, const struct dt_probe *p)
{
	struct joining *j = ctx;

	for (const struct dt_hook *hook = &p->hook; hook != NULL; hook = hook->next) {
		struct dt_enabled e = { p, j->r->ecb, j->r->prog, (uint32_t)j->t->enabled.n + 1, hook };

		if (is_complete(j->r) || make_live(j->t, j->r->ecb, hook))
			dt_vec_push(j->t->arena, &j->t->enabled, e);
	}
	return 0;
}

/*
 * The new probes could not be enabled. No call waits for an answer, so the error handler is called and
 * tracing goes on with what it has.
 */
static void report_failure(struct dtrace_hdl *h, struct dt_trace *t, const char *why)
{
	char msg[1200];
	dtrace_probedesc_t none = { 0 };
	dtrace_eprobedesc_t edesc = { 0 };
	dtrace_errdata_t d = { .dteda_handle = h, .dteda_edesc = &edesc, .dteda_pdesc = &none,
		.dteda_msg = msg };

	snprintf(msg, sizeof(msg), "probes of a program that has been started could not be enabled: %s\n",
	    why);
	if (t->h->on.err_f != NULL)
		(void)t->h->on.err_f(&d, t->h->on.err_arg);
}

/* Matches the retained clauses against the probes that are known now, and grafts what is new. */
static void enable_new(struct dtrace_hdl *h, struct dt_trace *t)
{
	size_t before = t->enabled.n;
	char msg[1024] = "";

	for (size_t i = 0; i < t->retained.n; i++) {
		struct joining j = { t, &t->retained.v[i] };

		(void)dt_probes_there(&t->h->probes, is_complete(j.r) ? t->later->known : 0, &j.r->ecb->probe,
		    join_probe, &j);
	}
	t->later->known = (uint32_t)t->h->probes.named.n;
	if (t->enabled.n == before)
		return;
	if (dt_trace_graft(t, msg, sizeof(msg)) != 0)
		report_failure(h, t, msg);
	else
		dt_trace_sink_enabled(t, before);
}

static void ask_providers(struct dt_trace *t, const struct dt_arrival *arrival)
{
	for (size_t i = 0; i < t->retained.n; i++) {
		const struct dt_retained *r = &t->retained.v[i];

		r->row->look(&t->h->probes, r->row, &r->ecb->probe, arrival);
	}
}

/* Asks the providers which probes a process (and one file of it, if given) has. */
static void look_at_arrival(struct dt_trace *t, struct dt_arrival *arrival)
{
	uint32_t root = t->h->probes.follow ?
	    dt_proc_root(arrival->pid, t->later->roots, t->later->nroots) : 0;

	arrival->root = root != 0 ? root : arrival->pid;
	ask_providers(t, arrival);
}

/*
 * True if a description names one process: then a file that was looked at for one process must be looked at
 * again for the next.
 */
static bool named_by_process(const struct dt_trace *t)
{
	for (size_t i = 0; i < t->retained.n; i++) {
		const char *prov = t->retained.v[i].ecb->probe.prov;

		if (prov[0] != '\0' && prov[strlen(prov) - 1] != '*')
			return true;
	}
	return false;
}

/* ---- where events come from ---- */

/*
 * Whether a description means this process: by its number, as in mydb123, or by a pattern that does not
 * depend on the process, as mydb*, if it is a process of -c or -p or descends from one. With -x follow
 * descendants count as the process itself.
 */
static bool process_named(const struct dt_trace *t, uint32_t pid)
{
	const struct dt_later *l = t->later;
	uint32_t root = dt_proc_root(pid, l->roots, l->nroots);

	for (size_t i = 0; i < t->retained.n; i++) {
		uint32_t named = process_of(&t->retained.v[i]);

		if (named == 0 ? root != 0 : named == pid || (t->h->probes.follow && named == root))
			return true;
	}
	return false;
}

/* Libraries that a traced process loads are held too if a clause waits for them (-Z). */
static bool holds_opens(const struct dtrace_hdl *h, const struct dt_trace *t)
{
	bool named = t->later->nroots > 0;

	for (size_t i = 0; i < t->retained.n; i++)
		named |= process_of(&t->retained.v[i]) != 0;
	return named && dt_options_on(&h->options, DT_OPT_zdefs);
}

/* Whether a description means this provider in this process. */
static bool provider_matches(const struct dt_trace *t, const char *provider, uint32_t pid)
{
	char full[270];

	snprintf(full, sizeof(full), "%s%u", provider, pid);
	for (size_t i = 0; i < t->retained.n; i++) {
		const char *prov = t->retained.v[i].ecb->probe.prov;

		if (dt_glob_match(prov, provider) || dt_glob_match(prov, full))
			return true;
	}
	return false;
}

/*
 * Runs in the helper process that holds others: it must not touch anything but the retained descriptions.
 * Names are as ELF notes have them, with __ for -. `provider` NULL asks whether the process itself is named.
 */
static bool provider_wanted(void *ctx, uint32_t pid, const char *provider)
{
	const struct dt_trace *t = ctx;
	uint32_t root;
	char base[256];
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
	if (provider_matches(t, base, pid))
		return true;
	root = t->h->probes.follow ? dt_proc_root(pid, t->later->roots, t->later->nroots) : 0;
	return root != 0 && provider_matches(t, base, root);
}

/*
 * Each program that waits is answered, whatever was found: its probes are live by then, or could not be. A
 * helper that was killed is closed, as its socket would stay readable.
 */
static void read_gate(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_gate_event e;
	int got = 0;

	while (t->later->gate != NULL && (got = dt_gate_next(t->later->gate, &e)) > 0) {
		struct dt_arrival arrival = { .pid = e.pid, .exec = e.exec,
			.file = dt_object_opened(&t->h->probes, e.fd) };

		if (arrival.file != NULL)
			look_at_arrival(t, &arrival);
		enable_new(h, t);
		dt_gate_answer(t->later->gate, &e, !named_by_process(t));
		close(e.fd);
	}
	if (got < 0) {
		dt_gate_close(t->later->gate);
		t->later->gate = NULL;
		dt_handle_note(t->h, "the process that holds programs until their static probes are live has "
		    "ended: the first firings of programs that start from now on may be missed");
	}
}

static void look_at_process(void *ctx, uint32_t pid)
{
	struct dt_arrival arrival = { .pid = pid };

	look_at_arrival(ctx, &arrival);
}

enum { PIDS_MAX = 256 };		/* processes looked at one by one; if there are more, all are */
struct mappings { struct dt_trace *t; uint32_t pids[PIDS_MAX]; size_t n; bool lost, by_process; };

/*
 * Files in memory have the name that the process chose, and a file may be replaced by another of its name:
 * the kernel tells the build id, or else the inode.
 */
static void file_key(const struct dt_watch_event *e, char *to, size_t size)
{
	uint64_t id[2] = { 0 };

	memcpy(id, e->id, e->idlen < sizeof(id) ? e->idlen : sizeof(id));
	snprintf(to, size, "%llx %llx %u:%u %llu %s", (unsigned long long)id[0], (unsigned long long)id[1],
	    e->major, e->minor, (unsigned long long)e->inode, e->path);
}

/*
 * Notes the process of a new mapping. Where the process does not matter, a file that was seen once is enough.
 * Events that were lost, or are too many, end in a look at all processes.
 */
static void note_mapping(void *ctx, const struct dt_watch_event *e)
{
	struct mappings *n = ctx;
	char key[4200];

	n->lost |= e->kind == DT_WATCH_LOST;
	if (e->kind != DT_WATCH_MAP || e->path[0] != '/' || (n->n > 0 && n->pids[n->n - 1] == e->pid))
		return;
	if (!n->by_process) {
		file_key(e, key, sizeof(key));
		if (dt_map_get(&n->t->later->seen, key) != NULL)
			return;
		dt_map_put(&n->t->later->seen, dt_arena_strdup(n->t->arena, key), n->t);
	}
	if (n->n == PIDS_MAX)
		n->lost = true;
	else
		n->pids[n->n++] = e->pid;
}

/* Looks at the processes that have mapped something since the last call. */
static void read_watch(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct mappings n = { .t = t, .by_process = named_by_process(t) };

	if (t->later->watch == NULL)
		return;
	(void)dt_watch_read(t->later->watch, note_mapping, &n);
	for (size_t i = 0; i < n.n && !n.lost; i++)
		look_at_process(t, n.pids[i]);
	if (n.lost)
		dt_each_process(look_at_process, t);
	if (n.lost || n.n > 0)
		enable_new(h, t);
}

/* ---- of an engine that learns by itself ---- */

/* The first one that was left out is an example for all. */
static void note_left_out(struct dt_trace *t, uint32_t before)
{
	const struct dt_left_out *out = t->ops->left_out(t->engine);

	dt_handle_note(t->h, before == 0 ? dt_arena_printf(t->arena,
	    "%u probes of what was loaded later could not be enabled, e.g. %s: %s", out->n, out->example,
	    out->why != NULL ? out->why : "") : dt_arena_printf(t->arena,
	    "%u more probes of what was loaded later could not be enabled", out->n - before));
}

/* The engine knows the root even of a process whose parents have ended. */
static void take_arrival(void *ctx, uint32_t pid, uint32_t root)
{
	struct dtrace_hdl *h = ctx;
	struct dt_trace *t = h->trace;
	struct dt_arrival arrival = { .pid = pid, .root = root };

	if (h->usyms != NULL)		/* stacks lead through the new files */
		dt_usyms_learn(h->usyms, pid);
	(void)dt_trace_unwind_work(h, t);
	if (t->later == NULL)
		return;
	ask_providers(t, &arrival);
	enable_new(h, t);
}

static void begin_holding(struct dtrace_hdl *h, struct dt_trace *t)
{
	bool holds = dt_options_on(&h->options, DT_OPT_exechold);
	uint32_t ms = holds ? (uint32_t)(h->options.val[DT_OPT_exechold] / 1000000) : 0;
	char msg[512] = "";

	if (t->ops->hold != NULL && t->ops->hold(t->engine, ms, t->h->probes.follow, msg, sizeof(msg)) != 0)
		dt_handle_note(t->h, dt_arena_printf(t->arena, "%s", msg));
}

/* ---- beginning and end ---- */

/* Are functions among what may come? */
static bool any_functions(const struct dt_trace *t)
{
	for (size_t i = 0; i < t->retained.n; i++)
		if (t->retained.v[i].row->per_process)
			return true;
	return false;
}

/* For functions alone nothing is held without -Z: they may come in any library, and most never do. */
static bool holds_anything(const struct dt_trace *t, bool opens)
{
	for (size_t i = 0; i < t->retained.n; i++)
		if (opens || !t->retained.v[i].row->per_process)
			return true;
	return false;
}

static void open_gate(struct dtrace_hdl *h, struct dt_trace *t)
{
	bool opens = holds_opens(h, t);
	struct dt_gate_opts opts = { opens, opens && any_functions(t),
		(uint32_t)(h->options.val[DT_OPT_exechold] / 1000000), provider_wanted, t };

	if (!holds_anything(t, opens) || dt_gate_open(&t->later->gate, &opts) != 0) {
		t->later->gate = NULL;
		return;
	}
	(void)t->ops->wake_by(t->engine, dt_gate_fd(t->later->gate));
	if (!dt_options_on(&h->options, DT_OPT_quiet))
		dt_handle_note(t->h, dt_arena_printf(t->arena,
		    "programs%s with the probes asked for are held at exec%s until the probes are live, "
		    "for at most %u ms (-x exechold)", opens ? " and libraries" : "",
		    opens ? " and open" : "", opts.hold_ms));
}

/* Those of -c and -p, and the one that the caller has said to be $target. */
static void note_roots(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_later *l = t->later;
	uint32_t n = 0;

	while (dt_procs_pid(h, (int)n) != 0)
		n++;
	l->roots = DT_NEWN(t->arena, uint32_t, n + 1);
	while (l->nroots < n) {
		l->roots[l->nroots] = dt_procs_pid(h, (int)l->nroots);
		l->nroots++;
	}
	if (n == 0 && h->target > 0)
		l->roots[l->nroots++] = (uint32_t)h->target;
}

/* Watching begins before the last look at all processes, so that nothing started in between is missed. */
void dt_later_begin(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_later *l;

	begin_holding(h, t);
	if (t->retained.n == 0)
		return;
	l = t->later = DT_NEW(t->arena, struct dt_later);
	dt_map_init(&l->live, t->arena);
	dt_map_init(&l->seen, t->arena);
	l->known = (uint32_t)t->h->probes.named.n;
	note_roots(h, t);
	for (size_t i = 0; i < t->enabled.n; i++)
		for (const struct dt_hook *k = &t->enabled.v[i].probe->hook; k != NULL; k = k->next)
			(void)make_live(t, t->enabled.v[i].ecb, k);
	if (t->ops->hold != NULL) {
		uint32_t before = t->ops->left_out(t->engine)->n;

		for (uint32_t i = 0; i < l->nroots; i++)
			take_arrival(h, l->roots[i], l->roots[i]);
		if (t->ops->left_out(t->engine)->n > before)
			note_left_out(t, before);
		return;
	}
	if (dt_watch_open(&l->watch) != 0)
		l->watch = NULL;
	if (dt_options_on(&h->options, DT_OPT_exechold))
		open_gate(h, t);
	dt_each_process(look_at_process, t);	/* what was started since the descriptions were matched */
	enable_new(h, t);
}

void dt_later_work(struct dtrace_hdl *h, struct dt_trace *t)
{
	if (t->ops->arrived != NULL) {
		uint32_t before = t->ops->left_out(t->engine)->n;

		t->ops->arrived(t->engine, take_arrival, h);
		if (t->ops->left_out(t->engine)->n > before)
			note_left_out(t, before);
	}
	if (t->later == NULL)
		return;
	read_gate(h, t);
	read_watch(h, t);
}

int dt_later_fd(const struct dt_trace *t)
{
	return t->later != NULL && t->later->gate != NULL ? dt_gate_fd(t->later->gate) : -1;
}

static void note_unheld(struct dt_trace *t)
{
	uint32_t n = t->engine != NULL && t->ops->unheld != NULL ? t->ops->unheld(t->engine) : 0;

	if (n > 0 && t->state == DT_TRACE_STOPPED)
		dt_handle_note(t->h, dt_arena_printf(t->arena, "%u times a program, a library or a child ran "
		    "before its probes were live: it could not be held, or not long enough (-x exechold)",
		    n));
}

void dt_later_end(struct dt_trace *t)
{
	note_unheld(t);
	if (t->later == NULL)
		return;
	dt_gate_close(t->later->gate);
	dt_watch_close(t->later->watch);
	t->later = NULL;
}
