/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traced processes as an engine: programs are machine code inside of them and fire at patched places,
 * at the price of a function call and without any right but that to trace these processes (ptrace(2)).
 * BEGIN, END and ticks run in dtrace itself, on the same memory.
 */
#include "inproc/target.h"

#include "agent/agent_read.h"
#include "base/clock.h"
#include "dif/builtin.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRACE_NS = 1000000000, THREADS = 256 };	/* THREADS: that have memory of their own for firings */

/* ---- plans ---- */

static int process_replan(struct dt_engine *e, const struct dt_plan *plan, char *msg, size_t len)
{
	struct inproc *p = inproc_of(e);
	struct dt_image **more = realloc(p->image, (p->nimages + 1) * sizeof(struct dt_image *));
	int err;

	if (more == NULL)
		return -ENOMEM;
	p->image = more;
	p->opts.errors = plan->opts->errors;
	p->opts.nerrors = plan->opts->nerrors;
	err = dt_image_build(&p->opts, plan->progs, plan->nprogs, plan->hooks, plan->nhooks,
	    &p->image[p->nimages], msg, len);
	if (err != 0)
		return err;
	p->nimages++;
	p->attach = plan->attach;
	return 0;
}

static void process_close(struct dt_engine *e)
{
	struct inproc *p = inproc_of(e);

	dt_inproc_close_sampler(p);
	dt_inproc_detach_all(p);
	dt_ticker_stop(&p->ticker);
	dt_unwind_free(p->unwind);
	dt_inproc_close_waiting(p);
	dt_inproc_close_rings(p);
	dt_inproc_close_memory(p);
	for (uint32_t i = 0; i < p->nimages; i++)
		dt_image_free(p->image[i]);
	free(p->image);
	free(p->walk);
	free(p->pids);
	free(p->ticker.ticks);
	pthread_mutex_destroy(&p->running);
	pthread_mutex_destroy(&p->tracing);
	free(p);
}

/*
 * Places are patched in the processes that are named, so programs need not look whether they are in one of
 * them, and numbers of processes are those that we see.
 */
static struct dt_plan_opts options_of(const struct dt_plan *plan)
{
	static const struct dt_features all = {
#define FEATURE(name, helper) .name = true,
#include "bpf/features.def"
#undef FEATURE
	};
	struct dt_plan_opts o = *plan->opts;

	o.feat = &all;
	o.pids = o.roots = NULL;
	o.npids = o.nroots = 0;
	o.pidns_ino = 0;
	o.member = NULL;
	o.slots = THREADS;
	return o;
}

static int process_open(const struct dt_plan *plan, struct dt_engine **engine, char *msg, size_t len)
{
	struct inproc *p = calloc(1, sizeof(*p));
	int err;

	*engine = NULL;
	if (p == NULL)
		return -ENOMEM;
	p->engine.ops = &dt_engine_process;
	p->opts = options_of(plan);
	p->ncpus = plan->opts->ncpus;
	p->npids = plan->opts->npids;
	p->pids = calloc(p->npids + 1u, sizeof(*p->pids));
	if (p->pids != NULL && p->npids > 0)
		memcpy(p->pids, plan->opts->pids, p->npids * sizeof(*p->pids));
	p->named = plan->opts->named;
	p->nnamed = plan->opts->nnamed;
	p->data_fd = p->epoll = p->event = -1;
	pthread_mutex_init(&p->running, NULL);
	pthread_mutex_init(&p->tracing, NULL);
	err = p->pids != NULL ? process_replan(&p->engine, plan, msg, len) : -ENOMEM;
	if (err != 0)
		process_close(&p->engine);
	else
		*engine = &p->engine;
	return err;
}

static const struct dt_layouts *process_layouts(const struct dt_engine *e)
{
	return &inproc_newest(inproc_of(e))->layouts;
}

static int process_load(struct dt_engine *e, char *msg, size_t len)
{
	struct inproc *p = inproc_of(e);
	int err = dt_inproc_layout(p, msg, len);

	if (err == 0)
		err = dt_inproc_open_memory(p, msg, len);
	if (err == 0)
		err = dt_inproc_add_segment(p, 0, msg, len);
	if (err == 0 && ((err = dt_inproc_open_rings(p)) != 0 || (err = dt_inproc_open_waiting(p)) != 0))
		dt_inproc_fail(msg, len, err, "cannot prepare to read buffers");
	return err;
}

/* ---- running ---- */

/* Programs of BEGIN, END and ticks find what they need in a firing of ours; arguments are its first words. */
static int run_program(struct inproc *p, const struct dt_agent_process *as, uint32_t hook,
    const uint64_t *args, uint32_t nargs)
{
	uint64_t at = dt_inproc_program(p, hook);
	struct dt_firing f = { .process = as, .agent = p->agent };
	uint64_t (*run)(struct dt_firing *, uint64_t) =
	    (uint64_t (*)(struct dt_firing *, uint64_t))(uintptr_t)(p->base + p->head->run);

	if (at == 0 || nargs > DT_AGENT_REGS)
		return -EINVAL;
	if (nargs > 0)
		memcpy(f.regs, args, nargs * sizeof(*args));
	pthread_mutex_lock(&p->running);
	run(&f, (uintptr_t)p->base + at);
	pthread_mutex_unlock(&p->running);
	return 0;
}

int dt_inproc_run(struct dt_engine *e, uint32_t hook, const uint64_t *args, uint32_t nargs)
{
	return run_program(inproc_of(e), &inproc_of(e)->self, hook, args, nargs);
}

void dt_inproc_run_as(struct inproc *p, const struct dt_agent_process *as, uint32_t hook,
    const uint64_t *words)
{
	(void)run_program(p, as, hook, words, DT_AGENT_REGS);
}

static int process_run(struct dt_engine *e, uint32_t hook) { return dt_inproc_run(e, hook, NULL, 0); }

static void run_tick(void *ctx, uint32_t hook)
{
	struct inproc *p = ctx;

	(void)process_run(&p->engine, hook);
}

static int add_ticks(struct inproc *p)
{
	uint32_t n = inproc_newest(p)->nprogs;

	p->ticker.ticks = calloc(n + 1u, sizeof(*p->ticker.ticks));
	if (p->ticker.ticks == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (p->attach[i].kind == DT_HOOK_TICK)
			p->ticker.ticks[p->ticker.n++] =
			    (struct dt_tick){ .prog = i, .interval = p->attach[i].interval };
	p->ticker.run = run_tick;
	p->ticker.ctx = p;
	p->ticker.control = p->control;
	p->ticker.event = p->event;
	return 0;
}

static void set_gate(struct inproc *p, bool open)
{
	__atomic_store_n(&p->control->stopped, !open, __ATOMIC_RELEASE);
	__atomic_store_n(&p->agent->enabled, open, __ATOMIC_RELEASE);
}

static int process_attach(struct dt_engine *e, char *msg, size_t len)
{
	struct inproc *p = inproc_of(e);
	int err;

	set_gate(p, false);
	p->left_out = (struct dt_left_out){ 0 };
	p->left_out.took_ns = dt_clock_ns();
	err = dt_inproc_attach_hooks(p, 0, msg, len);
	p->left_out.took_ns = dt_clock_ns() - p->left_out.took_ns;
	for (uint32_t i = 0; i < p->ntargets; i++)
		p->left_out.stopped_ns += dt_inject_stopped_ns(p->target[i]->inject);
	if (err == 0 && (err = add_ticks(p)) != 0)
		dt_inproc_fail(msg, len, err, "cannot prepare tick probes");
	if (err == 0)
		err = dt_inproc_open_sampler(p, msg, len);
	p->attached = err == 0;
	if (err != 0)
		dt_inproc_detach_all(p);
	return err;
}

static int process_start(struct dt_engine *e, char *msg, size_t len)
{
	struct inproc *p = inproc_of(e);
	int err = dt_ticker_start(&p->ticker);

	if (err != 0)
		return dt_inproc_fail(msg, len, err, "cannot start the thread of tick probes");
	set_gate(p, true);
	err = dt_inproc_start_sampler(p);
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot start the thread of profile probes") : 0;
}

static int process_graft(struct dt_engine *e, uint32_t first, char *msg, size_t len)
{
	struct inproc *p = inproc_of(e);
	int err = dt_inproc_add_segment(p, first, msg, len);

	if (err != 0)
		return err;
	pthread_mutex_lock(&p->tracing);
	err = dt_inproc_attach_hooks(p, first, msg, len);
	pthread_mutex_unlock(&p->tracing);
	return err;
}

/*
 * Nothing fires once agent->enabled is 0 and the firings under way have ended; then the places are
 * restored.
 */
static void process_detach(struct dt_engine *e)
{
	struct inproc *p = inproc_of(e);

	dt_inproc_close_sampler(p);
	dt_ticker_stop(&p->ticker);
	p->ticker.n = 0;
	if (!p->attached)
		return;
	__atomic_store_n(&p->agent->enabled, 0, __ATOMIC_SEQ_CST);
	(void)dt_inproc_forget_ended(p);
	if (dt_agent_grace(p->agent, p->registered, GRACE_NS) != 0)
		p->unfinished += dt_agent_under_way(p->agent);
	dt_inproc_detach_all(p);
	p->attached = false;
}

/* ---- small ones ---- */

static const struct dt_left_out *process_left_out(const struct dt_engine *e)
{
	return &inproc_of(e)->left_out;
}
static struct dt_control *process_control(struct dt_engine *e) { return inproc_of(e)->control; }
static uint32_t process_ncpus(const struct dt_engine *e) { return inproc_of(e)->ncpus; }
static uint64_t process_missed(const struct dt_engine *e) { return dt_agent_missed(inproc_of(e)->agent); }

const struct dt_engine_ops dt_engine_process = {
    .name = "process",
    .live = true,
    .where = DT_IN_PROCESS,
    .open = process_open,
    .close = process_close,
    .layouts = process_layouts,
    .load = process_load,
    .attach = process_attach,
    .start = process_start,
    .left_out = process_left_out,
    .detach = process_detach,
    .run = process_run,
    .replan = process_replan,
    .graft = process_graft,
    .mapped = dt_inproc_mapped,
    .hold = dt_inproc_hold,
    .arrived = dt_inproc_arrived,
    .unheld = dt_inproc_unheld,
    .follow = dt_inproc_follow,
    .wait = dt_inproc_wait,
    .pollfd = dt_inproc_pollfd,
    .wake_by = dt_inproc_wake_by,
    .control = process_control,
    .ncpus = process_ncpus,
    .drops = dt_inproc_drops,
    .missed = process_missed,
    .rings = dt_inproc_rings,
    .ring_cpu = dt_inproc_ring_cpu,
    .room = dt_inproc_room,
    .range = dt_inproc_range,
    .next = dt_inproc_next,
    .release = dt_inproc_release,
    .drain = dt_inproc_drain,
    .take = dt_inproc_take,
    .moments = dt_inproc_moments,
    .unwind = dt_inproc_unwind,
    .unwinder = dt_inproc_unwinder,
};
