/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of a file as an engine: programs run in the interpreter, in this process and without any right.
 * Time is that of the events; tick- and profile- probes fire when it passes their interval. Layouts are
 * those of the kernel's image, which is built and never loaded, except that keys have no numbers of probes,
 * and words of aggregations are stored as the aggregating function knows them.
 */
#include "replay/replay_impl.h"

#include "dif/action.h"
#include "dif/builtin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { BATCH = 4096 };			/* events fired by one call of wait */

static struct replay *replay_of(const struct dt_engine *e) { return (struct replay *)e; }

/* ---- plan ---- */

/* Keys that are names of probes become strings, and all move up to make room. */
static void lay_out_keys(struct dt_agglayout *o, uint32_t strsize)
{
	struct dt_recfield *f = (struct dt_recfield *)o->key;
	uint32_t at = 0;

	for (uint32_t k = 0; k < o->nkeys; k++) {
		if (o->key_probe[k])
			f[k].size = strsize;
		o->key_probe[k] = 0;
		at = (at + 7) & ~7u;
		f[k].off = at;
		at += f[k].size;
	}
	o->keysize = o->nkeys > 0 ? (at + 7) & ~7u : 0;
	o->cpuwords = o->nwords + 1;
	o->seen = o->nwords;
	o->plain = true;
}

static void replay_close(struct dt_engine *e)
{
	struct replay *r = replay_of(e);

	dt_interp_free(r->interp);
	dt_image_free(r->image);
	dt_replay_forget(r);
	if (r->fd >= 0)
		close(r->fd);
	free(r->rec);
	free(r->ring);
	free(r->control);
	free(r->ids);
	free(r);
}

/* The number of each probe in the file that some clause is enabled on; 0: none is. */
static int index_probes(struct replay *r)
{
	const struct dt_replay_events *ev = r->plan->opts->events;

	r->ids = calloc(ev->probes.n + 1, sizeof(*r->ids));
	if (r->ids == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->plan->nhooks; i++)
		for (uint32_t k = 0; k < r->plan->hooks[i].nen; k++)
			if (r->plan->attach[i].kind == DT_HOOK_REPLAY)
				r->ids[r->plan->hooks[i].en[k].number] = r->plan->hooks[i].en[k].probe_id;
	return 0;
}

static int replay_open(const struct dt_plan *p, struct dt_engine **engine, char *msg, size_t len)
{
	struct replay *r;
	int err;

	*engine = NULL;
	if (p->nprogs > 1) {
		snprintf(msg, len, "-x replay runs one program: put all clauses into one script");
		return -ENOTSUP;
	}
	if (p->opts->policy != DT_POLICY_SWITCH) {
		snprintf(msg, len, "-x replay keeps all records: leave out -x bufpolicy");
		return -ENOTSUP;
	}
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->engine.ops = &dt_engine_replay;
	r->plan = p;
	r->fd = -1;
	r->gen = 1;
	err = dt_image_build(p->opts, p->progs, p->nprogs, p->hooks, p->nhooks, &r->image, msg, len);
	if (err == 0)
		err = index_probes(r);
	if (err != 0) {
		replay_close(&r->engine);
		return err;
	}
	for (uint32_t i = 0; i < r->image->layouts.naggs; i++)
		lay_out_keys(&r->image->layouts.aggs[i], p->opts->strsize + 1);
	*engine = &r->engine;
	return 0;
}

static const struct dt_layouts *replay_layouts(const struct dt_engine *e)
{
	return &replay_of(e)->image->layouts;
}

static int replay_load(struct dt_engine *e, char *msg, size_t len)
{
	struct replay *r = replay_of(e);
	const struct dt_plan_opts *o = r->plan->opts;
	const struct dt_interp_opts opts = { .strsize = o->strsize, .scratchsize = (uint32_t)o->scratchsize,
		.dynvarsize = o->dynvarsize, .nspec = o->nspec != 0 ? o->nspec : DT_INTERP_NSPEC_NONE,
		.specsize = o->specsize };

	r->control = calloc(1, DT_CONTROL_SPECS + (r->image->layouts.nspec + 1) * sizeof(uint64_t));
	r->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->plan->nprogs == 1)
		r->interp = dt_interp_new(r->plan->progs[0], &opts, &(struct dt_interp_sink){ .ctx = r,
		    .begin = dt_replay_begin, .record = dt_replay_record, .end = dt_replay_end,
		    .fault = dt_replay_fault, .drop = dt_replay_drop });
	if (r->control == NULL || r->fd < 0 || (r->plan->nprogs == 1 && r->interp == NULL)) {
		snprintf(msg, len, "out of memory");
		return -ENOMEM;
	}
	return 0;
}

/* ---- firing ---- */

static void fire(struct replay *r, const struct dt_context *c)
{
	int status;

	if (r->interp == NULL)
		return;
	r->context = c;
	status = dt_interp_fire(r->interp, c);
	r->context = NULL;
	if (status >= 0) {
		r->control->exited = 1;
		r->control->status = status;
	}
}

/* A probe that no event names: BEGIN, END, and those of the clock. */
static void fire_hook(struct replay *r, uint32_t hook)
{
	const struct dt_enabling *en = &r->plan->hooks[hook].en[0];
	struct dt_context c = { .probe = { en->prov, en->mod, en->func, en->name, 0 },
		.probe_id = en->probe_id, .timestamp = r->now, .walltimestamp = (int64_t)r->now,
		.pid = r->plan->opts->self_pid, .tid = r->plan->opts->self_pid, .execname = "dtrace" };

	fire(r, &c);
}

static void fire_event(struct replay *r, const struct dt_replay_event *e)
{
	const struct dt_replay_probe *p = &r->plan->opts->events->probes.v[e->probe];
	struct dt_region regions[10];
	struct dt_context c = { .probe = { p->prov, p->mod, p->func, p->name, 0 },
		.probe_id = r->ids[e->probe], .timestamp = e->time, .walltimestamp = (int64_t)e->time,
		.pid = e->pid, .tid = e->tid, .ppid = e->ppid, .uid = e->uid, .gid = e->gid, .cpu = e->cpu,
		.err = e->err, .regions = regions, .nregions = e->ntexts };

	memcpy(c.arg, e->arg, sizeof(c.arg));
	snprintf(c.execname, sizeof(c.execname), "%s", e->execname);
	for (uint32_t i = 0; i < e->ntexts; i++)
		regions[i] = (struct dt_region){ .addr = e->texts[i].addr, .len = e->texts[i].len,
			.bytes = (uint8_t *)e->texts[i].bytes, .user = true };
	fire(r, &c);
}

/* ns between two firings of a hook of the clock; 0: the hook is not one. */
static uint64_t clock_interval(const struct replay *r, uint32_t hook)
{
	const struct dt_attach *a = &r->plan->attach[hook];

	if ((a->kind != DT_HOOK_TICK && a->kind != DT_HOOK_PERF) || r->plan->hooks[hook].nen == 0)
		return 0;
	return a->interval;
}

/* When the next hook of the clock is due after now. */
static uint64_t next_due(const struct replay *r)
{
	uint64_t when = UINT64_MAX;

	for (uint32_t i = 0; i < r->plan->nhooks; i++) {
		uint64_t every = clock_interval(r, i), due;

		if (every == 0)
			continue;
		due = r->began + ((r->now - r->began) / every + 1) * every;
		when = due < when ? due : when;
	}
	return when;
}

/*
 * All hooks of the clock that are due by that time, in the order of time. False: there are more, but they are
 * many, and the caller should look after its signals first.
 */
static bool fire_clock(struct replay *r, uint64_t until)
{
	uint64_t when;
	unsigned n = 0;

	while (!r->control->exited && (when = next_due(r)) <= until) {
		if (n++ == BATCH)
			return false;
		r->now = when;
		for (uint32_t i = 0; i < r->plan->nhooks && !r->control->exited; i++)
			if (clock_interval(r, i) != 0 && (when - r->began) % clock_interval(r, i) == 0)
				fire_hook(r, i);
	}
	return true;
}

/* After the last event the trace is over, as if a clause had called exit(0). */
static int replay_wait(struct dt_engine *e, uint64_t timeout_ns)
{
	struct replay *r = replay_of(e);
	const struct dt_replay_events *ev = r->plan->opts->events;

	(void)timeout_ns;
	for (unsigned i = 0; i < BATCH && r->next < ev->events.n && !r->control->exited; i++) {
		const struct dt_replay_event *event = &ev->events.v[r->next];

		if (!fire_clock(r, event->time))
			break;
		r->next++;
		r->now = event->time;
		if (r->ids[event->probe] != 0 && !r->control->exited)
			fire_event(r, event);
	}
	if (r->next >= ev->events.n)
		r->control->exited = 1;
	return r->failed != 0 ? r->failed : 1;
}

static int replay_run(struct dt_engine *e, uint32_t hook)
{
	struct replay *r = replay_of(e);
	const struct dt_replay_events *ev = r->plan->opts->events;

	if (r->next == 0 && ev->events.n > 0 && r->now == 0)
		r->now = r->began = ev->events.v[0].time;
	fire_hook(r, hook);
	return r->failed;
}

/* ---- small ones ---- */

static int nothing(struct dt_engine *e, char *msg, size_t len) { (void)e, (void)msg, (void)len; return 0; }
static void replay_detach(struct dt_engine *e) { (void)e; }

static int replay_start(struct dt_engine *e, char *msg, size_t len)
{
	struct replay *r = replay_of(e);
	const struct dt_replay_events *ev = r->plan->opts->events;

	(void)msg, (void)len;
	if (ev->events.n > 0 && r->now == 0)
		r->now = r->began = ev->events.v[0].time;
	return 0;
}

static const struct dt_left_out *replay_left_out(const struct dt_engine *e)
{
	static const struct dt_left_out none = { 0 };

	(void)e;
	return &none;
}

static int replay_pollfd(const struct dt_engine *e) { return replay_of(e)->fd; }
static int replay_wake_by(struct dt_engine *e, int fd) { (void)e, (void)fd; return 0; }
static struct dt_control *replay_control(struct dt_engine *e) { return replay_of(e)->control; }
static uint32_t replay_ncpus(const struct dt_engine *e) { return replay_of(e)->plan->opts->events->ncpus; }
static uint64_t replay_missed(const struct dt_engine *e) { (void)e; return 0; }

static int replay_drops(struct dt_engine *e, struct dt_drops *all)
{
	memset(all, 0, replay_ncpus(e) * sizeof(*all));
	all[0] = replay_of(e)->drops;
	return 0;
}

const struct dt_engine_ops dt_engine_replay = {
	.name = "replay", .where = DT_IN_REPLAY,
	.open = replay_open, .close = replay_close, .layouts = replay_layouts, .load = replay_load,
	.attach = nothing, .start = replay_start, .left_out = replay_left_out, .detach = replay_detach,
	.run = replay_run, .wait = replay_wait, .pollfd = replay_pollfd, .wake_by = replay_wake_by,
	.control = replay_control, .ncpus = replay_ncpus, .drops = replay_drops, .missed = replay_missed,
	.rings = dt_replay_rings, .ring_cpu = dt_replay_ring_cpu, .room = dt_replay_room,
	.range = dt_replay_range, .next = dt_replay_next, .release = dt_replay_release,
	.drain = dt_replay_drain, .take = dt_replay_take, .moments = dt_replay_moments,
};
