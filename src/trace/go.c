/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From enablings to a running engine. hooks.c sorts the enablings by the place where they fire; here the
 * plan is made and loaded, everything is attached, BEGIN runs, and only then do all other probes begin to
 * fire at once. END runs after everything is detached. What fails on the way is taken back as a whole.
 */
#include "base/count.h"
#include "dif/builtin.h"
#include "kernel/rights.h"
#include "handle/entry.h"
#include "handle/errors.h"
#include "trace/build.h"
#include "trace/trace_procs.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* From so many kprobes on it is worth telling why the end takes its time. */
#define MANY_SINGLE 200
#define SMALLEST_SIZE (64u << 10)	/* sizes are not lowered below it */

/* ---- building ---- */

static bool in_kernel(const struct dt_trace *t) { return t->ops->where == DT_IN_KERNEL; }

/* An engine that is not the kernel has the layouts of one that can do everything. */
static int find_features(struct dt_gobuild *b, char *msg, size_t len)
{
	if (in_kernel(b->t))
		return dt_features_probe(&b->feat, msg, len);
	memset(&b->feat, 1, sizeof(b->feat));
	return 0;
}

/* An option that somebody has set to a positive number, else the default given here. */
static uint64_t option_or(const struct dtrace_hdl *h, enum dt_opt opt, uint64_t otherwise)
{
	int64_t v = h->options.val[opt];

	return v >= 0 ? (uint64_t)v : otherwise;
}

/* What is added to the kernel's monotonic time to get the time of day (walltimestamp), as of now. */
static int64_t wall_offset(void)
{
	struct timespec mono, real;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	return (real.tv_sec - mono.tv_sec) * 1000000000ll + real.tv_nsec - mono.tv_nsec;
}

static enum dt_policy policy_of(const struct dtrace_hdl *h)
{
	switch (h->options.val[DT_OPT_bufpolicy]) {
	case DT_BUFPOLICY_FILL: return DT_POLICY_FILL;
	case DT_BUFPOLICY_RING: return DT_POLICY_RING;
	default: return DT_POLICY_SWITCH;
	}
}

/*
 * Aggregations have aggsize bytes for each CPU, which all CPUs share. The default is 4 MiB, but no more than
 * 16 MiB on all together: the kernel takes the memory of the hash table when it is made.
 */
static uint64_t agg_size(const struct dtrace_hdl *h, uint32_t cpus)
{
	uint64_t most = (16u << 20) / cpus;

	return option_or(h, DT_OPT_aggsize, most < 4u << 20 ? most : 4u << 20);
}

/*
 * Whether clauses at events of the kernel or of processes record something here: those can be many, while
 * BEGIN, END and tick- probes are few.
 */
static bool many_records(const struct dt_bhook *k)
{
	bool many = false;

	for (size_t i = 0; i < k->en.n && k->hook.kind != DT_HOOK_RUN && k->hook.kind != DT_HOOK_TICK; i++)
		many |= dt_ecb_records(k->en.v[i].ecb);
	return many;
}

static uint64_t memory_size(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Whether clauses anywhere do. */
static bool records_many(const struct dt_gobuild *b)
{
	bool many = false;

	for (size_t i = 0; i < b->hooks.n; i++)
		many |= many_records(b->hooks.v[i]);
	return many;
}

/*
 * The buffer that all CPUs begin with. The kernel takes its memory when the buffer is made, 0.2 ms for each
 * MiB, so 4 MiB is the default, and 16 MiB where many records are expected, if that is no more than 1/128 of
 * the memory.
 */
static uint64_t buf_size(const struct dt_gobuild *b)
{
	uint64_t most = memory_size() / 128, size = 4u << 20;

	while (records_many(b) && size < 16u << 20 && 2 * size <= most)
		size *= 2;
	return option_or(b->h, DT_OPT_bufsize, size);
}

/* How many CPUs share the memory: one with -x cpu, else those online. */
static uint32_t traced_cpus(int64_t cpu)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return cpu >= 0 || online < 1 ? 1 : (uint32_t)online;
}

/*
 * Everything the image builder needs to know of the options and of this machine. Runs after the hooks are
 * known (buf_size() looks at them).
 */
static void fill_opts(struct dt_gobuild *b)
{
	struct dtrace_hdl *h = b->h;
	int64_t cpu = h->options.val[DT_OPT_cpu];
	uint32_t cpus = traced_cpus(cpu);

	b->opts = (struct dt_plan_opts){
		.policy = policy_of(h), .only_cpu = cpu >= 0 ? (uint32_t)cpu + 1 : 0,
		.strsize = h->compiler.strsize, .nspec = (uint32_t)option_or(h, DT_OPT_nspec, 1),
		    .stackframes_max = 127,
		.bufsize = buf_size(b), .grows = records_many(b) && !h->options.given[DT_OPT_bufsize],
		.aggsize = agg_size(h, cpus),
		.aggcpus = cpus,
		/* a slower rate than the default says that the reader is not to be woken for tables */
		.prompt = h->options.val[DT_OPT_switchrate] <= 1000000000,
		.specsize = option_or(h, DT_OPT_specsize, 32 << 10),
		    .dynvarsize = option_or(h, DT_OPT_dynvarsize, 1 << 20),
		.scratchsize = option_or(h, DT_OPT_scratchsize, 64 << 10),
		.ncpus = (uint32_t)dt_session_possible_cpus(),
		    .rawsyscall = dt_options_on(&h->options, DT_OPT_rawsyscall),
		.page_bits = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE)),
		.unwind_size = b->t->ops->unwind != NULL ? dt_trace_unwind_size(h) : 0,
		.signal_uid = dt_rights_has(CAP_KILL) == 1 ? 0 : (uint64_t)getuid() + 1,
		.self_pid = (uint32_t)getpid(), .wall_offset = wall_offset(),
		/* without it a row that would read the kernel is refused, and does not read nothing */
		.member = b->t->ops->where != DT_IN_PROCESS ? dt_gobuild_member : NULL, .member_ctx = b,
		.only_cgroups = dt_trace_filters_cgroups(h),
		.events = h->probes.events,
		.feat = &b->feat, .machine = dt_machine_here(),
		.roots = b->roots.v, .nroots = (uint32_t)b->roots.n, .errors = b->errors.v,
		    .nerrors = (uint32_t)b->errors.n,
	};
}

/*
 * A record larger than a buffer would be dropped every time: that is better said at once. With policy fill
 * the records of END must all fit together. What counts is the room that is there, at least a page.
 */
static int records_fit(const struct dt_gobuild *b)
{
	const struct dt_layouts *layouts = dt_trace_layouts(b->t);
	uint64_t room = layouts->room, end = 0;

	for (size_t i = 0; i < b->t->enabled.n; i++) {
		const struct dt_enabled *e = &b->t->enabled.v[i];
		uint32_t takes = dt_layouts_takes(layouts, e->ecb, e->epid);

		if (takes != 0 && takes >= room)
			return EDT_BUFTOOSMALL;
		if (e->probe->hook.kind == DT_HOOK_RUN && strcmp(e->probe->name, "END") == 0)
			end += takes;
	}
	return b->opts.policy == DT_POLICY_FILL && end >= room ? EDT_ENDTOOBIG : 0;
}

/*
 * -x bufresize=auto: the largest size is halved until everything fits into memory. The options then show the
 * sizes that were used. False: nothing more can be lowered.
 */
static bool lower_size(struct dt_gobuild *b)
{
	struct { uint64_t *size; enum dt_opt opt; } rows[] = {
		{ &b->opts.bufsize, DT_OPT_bufsize }, { &b->opts.aggsize, DT_OPT_aggsize },
		{ &b->opts.dynvarsize, DT_OPT_dynvarsize },
	};
	size_t at = 0;

	for (size_t i = 1; i < DT_COUNT(rows); i++)
		if (*rows[i].size > *rows[at].size)
			at = i;
	if (b->h->options.val[DT_OPT_bufresize] != DT_BUFRESIZE_AUTO || *rows[at].size <= SMALLEST_SIZE)
		return false;
	*rows[at].size /= 2;
	b->h->options.val[rows[at].opt] = (int64_t)*rows[at].size;
	return true;
}

/*
 * A buffer may be larger than any kernel can make, whatever its memory: it is lowered to what can be, or
 * refused with bufresize=manual.
 */
static bool size_possible(struct dt_gobuild *b)
{
	if (dt_trace_layouts(b->t)->room >= b->opts.bufsize)
		return true;
	if (b->h->options.val[DT_OPT_bufresize] != DT_BUFRESIZE_AUTO)
		return false;
	b->opts.bufsize = dt_trace_layouts(b->t)->room;
	b->h->options.val[DT_OPT_bufsize] = (int64_t)b->opts.bufsize;
	return true;
}

/*
 * Refuses or lowers sizes that cannot work, before memory is taken. As in history a buffer has at least the 8
 * bytes of a word. Speculations are kept in our own memory, so it must hold specsize. The hash table of an
 * aggregation takes up to 4/5 of aggsize from the start. 0, or -1 with the handle's error set.
 */
static int check_sizes(struct dt_gobuild *b)
{
	struct { enum dt_opt opt; const char *name; uint64_t *size; unsigned part; } rows[] = {
		{ DT_OPT_bufsize, "bufsize", NULL, 1 }, { DT_OPT_specsize, "specsize", &b->opts.specsize, 1 },
		{ DT_OPT_aggsize, "aggsize", &b->opts.aggsize, 16 },
		{ DT_OPT_dynvarsize, "dynvarsize", &b->opts.dynvarsize, 1 },
	};
	uint64_t memory = memory_size() / b->opts.aggcpus;

	for (size_t i = 0; i < DT_COUNT(rows); i++) {
		int64_t *v = &b->h->options.val[rows[i].opt];

		if (b->h->options.given[rows[i].opt] && *v < 8 && rows[i].opt != DT_OPT_dynvarsize)
			return dt_handle_errorf(b->h, ENOMEM, "%s of %lld bytes: a buffer has at least 8",
			    rows[i].name, (long long)*v);
		if (rows[i].size == NULL || *rows[i].size <= memory / rows[i].part)
			continue;
		if (b->h->options.val[DT_OPT_bufresize] != DT_BUFRESIZE_AUTO)
			return dt_handle_errorf(b->h, ENOMEM,
			    "there is no memory for %s of %llu bytes on each CPU", rows[i].name,
			    (unsigned long long)*rows[i].size);
		while (*rows[i].size > memory / rows[i].part)
			*rows[i].size /= 2;
		*v = (int64_t)*rows[i].size;
	}
	return 0;
}

/* In a container, pids are those of its namespace: the image needs its number and depth. */
static int find_namespace(struct dt_gobuild *b)
{
	const char *untyped;
	int level;

	if (!in_kernel(b->t) || !dt_proc_pid_namespace(&b->opts.pidns_ino))
		return 0;
	level = dt_proc_namespace_level(dt_kmember(&b->opts, "task_struct", "thread_pid"),
	    dt_kmember(&b->opts, "pid", "level"));
	untyped = level < 0 ? dt_types_kernel_missing(b->h->types, b->t->arena) : NULL;
	if (untyped != NULL)
		return dt_handle_errorf(b->h, EDT_BPF, "process ids of a pid namespace cannot be found, as "
		    "%s; or run dtrace outside of the namespace (--pid=host)", untyped);
	if (level < 0)
		return dt_handle_errorf(b->h, EDT_BPF,
		    "the process id namespace of dtrace cannot be found: %s", strerror(-level));
	b->opts.pidns_level = (uint32_t)level;
	return 0;
}

static void list_named(struct dt_gobuild *b)
{
	uint32_t n = 0, *v;

	while (dt_procs_pid(b->h, (int)n) != 0)
		n++;
	v = DT_NEWN(b->t->arena, uint32_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		v[i] = dt_procs_pid(b->h, (int)i);
	b->opts.named = v;
	b->opts.nnamed = n;
}

/* Whether probes can join the engine while it runs. */
static bool takes_more(const struct dt_trace *t) { return t->ops->live && t->ops->graft != NULL; }

/*
 * The steps depend on each other: the engine, features, then room for later probes, then hooks, then sizes.
 * The image is built again with smaller buffers while there is no memory for it. 0, or -1 with the error set;
 * what was made is freed by dt_trace_clear().
 */
static int build_trace(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_gobuild *b = DT_NEW(t->arena, struct dt_gobuild);
	char msg[2048] = "";
	int err;

	b->h = h;
	b->t = t;
	t->build = b;
	dt_options_settle(&h->options);
	t->ops = dt_trace_choose(h, msg, sizeof(msg));
	if (t->ops == NULL)
		return -1;
	dt_handle_remark(h, dt_arena_printf(t->arena, "engine %s: %s", t->ops->name, msg));
	err = find_features(b, msg, sizeof(msg));
	if (err != 0)
		return dt_handle_errorf(h, err == -EPERM ? EDT_ACCESS : -err, "%s", msg);
	if (takes_more(t))
		dt_later_reserve(t);
	if (dt_gobuild_hooks(b) != 0 || dt_trace_check_derived(b) != 0)
		return -1;
	fill_opts(b);
	if (check_sizes(b) != 0 || find_namespace(b) != 0)
		return -1;
	dt_trace_index(t);
	if (h->options.val[DT_OPT_cpu] >= (int64_t)b->opts.ncpus)
		return dt_handle_errorf(h, EDT_BADOPTVAL, "CPU %lld is not online",
		    (long long)h->options.val[DT_OPT_cpu]);
	if (dt_procs_limit(h, t, &b->opts.pids, &b->opts.npids) != 0)
		return -1;
	list_named(b);
	dt_gobuild_ends(b);
	do {
		dt_trace_close_engine(t);
		err = t->ops->open(dt_gobuild_plan(b), &t->engine, msg, sizeof(msg));
		if (err != 0)
			return dt_handle_errorf(h, err == -ENOMEM ? EDT_NOMEM : EDT_BPFINVAL, "%s", msg);
		if (!size_possible(b))
			return dt_handle_errorf(h, ENOMEM,
			    "the kernel cannot have a buffer of %llu bytes for each CPU",
			    (unsigned long long)b->opts.bufsize);
		err = records_fit(b);
		if (err != 0)
			return dt_handle_error(h, err);
		err = t->ops->load(t->engine, msg, sizeof(msg));
	} while ((err == -ENOMEM || err == -E2BIG) && lower_size(b));
	return err != 0 ? dt_handle_errorf(h, err == -ENOMEM ? EDT_NOMEM : EDT_BPF, "%s", msg) : 0;
}

/* ---- go and stop ---- */

int dt_trace_permitted(void) { return dt_features_permitted(); }

/* What must hold before anything is made: not yet tracing, and destructive programs only where allowed. */
static int check_go(struct dtrace_hdl *h, struct dt_trace *t)
{
	if (t->state != DT_TRACE_IDLE)
		return dt_handle_error(h, EINVAL);
	for (size_t i = 0; i < t->progs.n; i++)
		if (t->progs.v[i]->destructive && !dt_options_on(&h->options, DT_OPT_destructive))
			return dt_handle_errorf(h, EDT_DESTRUCTIVE, "%s (%s)", dt_error_text(EDT_DESTRUCTIVE),
			    h->options.given[DT_OPT_destructive] == DT_GIVEN_CALLER ?
			    "-x destructive=no forbids them, whatever the program says" :
			    "-w, or #pragma D option destructive, allows them");
	return 0;
}

/* Runs BEGIN or END as a program of its own; UINT32_MAX: nobody has enabled it. */
static int run_program(struct dtrace_hdl *h, struct dt_trace *t, uint32_t prog)
{
	int err = prog != UINT32_MAX ? t->ops->run(t->engine, prog) : 0;

	return err != 0 ? dt_handle_error(h, -err) : 0;
}

/* Options of other platforms are accepted, so that scripts start, and what they do not do is said. */
static void note_options(struct dtrace_hdl *h, struct dt_trace *t)
{
	for (unsigned i = 0; i < DT_NOPTS; i++) {
		const char *doc = dt_options_unused(&h->options, (enum dt_opt)i);

		if (doc != NULL)
			dt_handle_note(t->h, dt_arena_printf(t->arena, "option %s: %s",
			    dt_options_row((enum dt_opt)i)->name, doc));
	}
}

/*
 * Kernels refuse some of the many places a description names: those are told, and the others run. Kprobes
 * that do not share one link are slow to make and to take away.
 */
static void note_refused(struct dt_trace *t)
{
	const struct dt_left_out *out = t->ops->left_out(t->engine);

	if (out->n > 0)
		dt_handle_note(t->h, dt_arena_printf(t->arena,
		    "%u of %u probes could not be enabled, e.g. %s: %s", out->n, out->of, out->example,
		    out->why != NULL ? out->why : dt_attach_why(out->err)));
	else if (out->singles >= MANY_SINGLE)
		dt_handle_note(t->h, dt_arena_printf(t->arena,
		    "%u functions have a kprobe each, because this kernel has no kprobe_multi: "
		    "it takes a while to remove them", out->singles));
	if (out->took_ns > 0 && out->of > 0)
		dt_handle_remark(t->h, dt_arena_printf(t->arena,
		    "engine %s: %u places were live after %.1f ms, threads stood still for %.2f ms of it",
		    t->ops->name, out->of - out->n, (double)out->took_ns / 1e6,
		    (double)out->stopped_ns / 1e6));
}

/* The kernel may have the places that the process does not: then it takes the trace, and nothing is lost. */
static int check_left_out(struct dtrace_hdl *h, struct dt_trace *t)
{
	const struct dt_left_out *out = t->ops->left_out(t->engine);

	if (!t->may_fall_back || out->n + out->later == 0)
		return 0;
	if (out->n == 0)
		return dt_handle_errorf(h, EDT_ENABLING_ERR, "%u probes are in files that are not mapped "
		    "yet, and may not fit there", out->later);
	return dt_handle_errorf(h, EDT_ENABLING_ERR, "%u of %u probes cannot be in the process, e.g. %s: %s",
	    out->n, out->of, out->example, out->why != NULL ? out->why : dt_attach_why(out->err));
}

/*
 * The order: attach while nothing may fire, run BEGIN, then start. If BEGIN called exit(), nothing else
 * starts.
 */
static int begin_tracing(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	char msg[1024] = "";
	uint32_t left_out;
	int err;

	if (build_trace(h, t) != 0 || dt_trace_events(h, t) != 0)
		return -1;
	dt_debug(h, "loaded %zu programs for %zu enablings into the engine %s; a buffer has %u bytes",
	    t->build->hooks.n, t->enabled.n, t->ops->name, dt_trace_layouts(t)->room);
	t->at_end = policy_of(h) != DT_POLICY_SWITCH;
	t->state = DT_TRACE_ACTIVE;
	t->waiting = (struct dt_waiting){ dt_later_fd, dt_trace_serve_ms, dt_trace_serve };
	if (t->ops->live)
		dt_trace_symbols(h, t);
	if (t->ops->live && dt_trace_containers(h, t) != 0)
		return -1;
	if ((err = t->ops->attach(t->engine, msg, sizeof(msg))) != 0)
		return dt_handle_errorf(h, err == -ENOMEM ? EDT_NOMEM : EDT_ENABLING_ERR, "%s", msg);
	if (check_left_out(h, t) != 0)
		return -1;
	t->may_fall_back = false;	/* what BEGIN does is done once */
	dt_debug(h, "attached; running BEGIN");
	note_refused(t);
	note_options(h, t);
	if (in_kernel(t))
		dt_trace_note_depth(t);
	if (run_program(h, t, t->begin) != 0)
		return -1;
	dt_consumer_complete(t->consumer);	/* the first dtrace_work() hands out what BEGIN recorded */
	if (dt_trace_over(t))
		return 0;
	left_out = t->ops->left_out(t->engine)->n;
	if ((err = t->ops->start(t->engine, msg, sizeof(msg))) != 0 ||
	    (err = dt_procs_map(h, t, msg, sizeof(msg))) != 0)
		return dt_handle_errorf(h, err == -ENOMEM ? EDT_NOMEM : EDT_ENABLING_ERR, "%s", msg);
	if (t->ops->left_out(t->engine)->n > left_out)
		note_refused(t);
	if (t->ops->live)
		dt_procs_family(h, t);
	if (takes_more(t))
		dt_later_begin(h, t);
	return 0;
}

static int try_begin_tracing(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, -1, begin_tracing(h));
}

/* As if it had not been tried; enabled: without the places that dt_later_reserve() kept. */
static void take_back(struct dt_trace *t, size_t enabled)
{
	dt_trace_clear(t);
	t->enabled.n = enabled;
}

/*
 * Everything or nothing: what fails half way leaves no probe and no program in the kernel, and the caller may
 * try again, for example with smaller buffers. What auto has put into processes and cannot have all there is
 * the kernel's.
 */
int dtrace_go(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	size_t enabled = t->enabled.n;

	if (check_go(h, t) != 0)
		return -1;
	dt_probes_typed(&t->h->probes);
	t->fell_back = NULL;
	if (try_begin_tracing(h) == 0)
		return 0;
	if (t->may_fall_back) {
		t->fell_back = dt_arena_printf(t->arena, "%s", dtrace_errmsg(h, dtrace_errno(h)));
		take_back(t, enabled);
		if (try_begin_tracing(h) == 0)
			return 0;
	}
	take_back(t, enabled);
	return -1;
}

int dtrace_go_check(dtrace_hdl_t *h)
{
	char why[1024];

	if (check_go(h, h->trace) != 0)
		return -1;
	dt_options_settle(&h->options);
	return dt_trace_choose(h, why, sizeof(why)) != NULL ? 0 : -1;
}

const char *dtrace_remarks(dtrace_hdl_t *h)
{
	return h->trace != NULL && h->remarks != NULL ? h->remarks : "";
}

const char *dtrace_notice(dtrace_hdl_t *h)
{
	return h->trace != NULL && h->notice != NULL ? h->notice : "";
}

/*
 * END runs when nothing else can fire any more, also after exit(). Full buffers are emptied first, so that
 * END has all the room; a ring buffer keeps the latest records instead.
 */
static int stop_tracing(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	int err;

	if (t->state != DT_TRACE_ACTIVE)
		return 0;
	t->state = DT_TRACE_STOPPED;
	if (h->interrupted)		/* the user waits: files of others have little time */
		dt_usyms_hurry(h->usyms);
	t->interrupted |= h->interrupted != 0;
	h->interrupted = 0;		/* the rest is done in full, except for commands (effects.c) */
	dt_debug(h, "stopping");
	dt_later_end(t);
	t->ops->detach(t->engine);
	if (dt_trace_layouts(t)->policy != DT_POLICY_RING && (err = dt_consumer_hold(t->consumer)) != 0)
		return dt_handle_error(h, -err);
	if (run_program(h, t, t->end) != 0)
		return -1;
	if (dt_trace_control(t)->exited)
		h->exitstatus = dt_trace_control(t)->status;
	dt_trace_wake(h);
	return 0;
}

int dtrace_stop(dtrace_hdl_t *h)
{
	DT_PUBLIC_SURE(h, -1, stop_tracing(h));
}

int dtrace_exitstatus(dtrace_hdl_t *h)
{
	return h->exitstatus;
}
