/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image comes in, a running set of programs goes out. Maps, programs and links are created in this
 * order and closed in reverse. A session that could not be completed is closed before dt_session_open()
 * returns.
 * Measured (2 CPUs, aarch64, 6.18; test/unit/session_test.c prints it, best of a few): a set with BEGIN
 * only is opened, run, drained and closed in 2.5 ms.
 */
#include "session/impl.h"
#include "base/wakeup.h"
#include "kernel/rights.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The sentence and what errno means. For a lack of rights the one sentence that helps, whatever failed. */
int dt_session_fail(char *msg, size_t len, int err, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (err == -EPERM) {
		snprintf(msg, len, "%s", dt_rights_why_refused());
		return err;
	}
	va_start(ap, fmt);
	vsnprintf(msg, len, fmt, ap);
	va_end(ap);
	n = strlen(msg);
	snprintf(msg + n, len - n, ": %s", strerror(-err));
	return err;
}

/* ---- open and close ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int *new_fds(uint32_t n)
{
	int *fds = malloc((n + 1u) * sizeof(*fds));

	for (uint32_t i = 0; fds && i < n; i++)
		fds[i] = -1;
	return fds;
}

/* The names in it are ours from here on; the points stay the caller's. */
static bool copy_attach(struct dt_session *s, const struct dt_attach *attach, uint32_t n)
{
	struct dt_attach *copy = calloc(n + 1u, sizeof(*copy));

	s->attach = copy;
	for (uint32_t i = 0; copy && i < n; i++) {
		copy[i] = attach[i];
		copy[i].target = attach[i].target ? strdup(attach[i].target) : NULL;
		if (attach[i].target && !copy[i].target)
			return false;
	}
	return copy;
}

/* All lists are filled with "none", so that closing is right wherever opening ends. */
static bool allocate_lists(struct dt_session *s)
{
	const struct dt_image *image = s->image;
	uint32_t nlinks = 1;

	for (uint32_t i = 0; i < image->nprogs; i++)
		nlinks += s->attach[i].npoints > s->ncpus ? s->attach[i].npoints : s->ncpus;
	s->maps = new_fds(image->nmaps);
	s->progs = new_fds(image->nprogs + image->nmore);
	s->links = new_fds(nlinks);
	s->links_cap = nlinks;
	s->online = calloc(s->ncpus, sizeof(*s->online));
	s->over_seen = calloc(s->ncpus, sizeof(*s->over_seen));
	s->groups = calloc(image->ngroups + 1u, sizeof(*s->groups));
	s->ticker.ticks = calloc(image->nprogs + 1u, sizeof(*s->ticker.ticks));
	for (uint32_t i = 0; s->groups && i < image->ngroups; i++)
		s->groups[i] = (struct dt_aggmaps){ .outer = -1, .fd = { -1, -1 } };
	s->gen = DT_GEN_FIRST;
	if (!s->maps || !s->progs || !s->links || !s->online || !s->over_seen || !s->groups ||
	    !s->ticker.ticks || !dt_rings_init(s))
		return false;
	dt_cpus_online(s->online, s->ncpus);
	return true;
}

static int open_waiting(struct dt_session *s)
{
	int err = dt_wakeup_open(&s->epoll, &s->event);

	for (uint32_t i = 0; i < s->rings.n && err == 0; i++)
		err = dt_wakeup_add(s->epoll, s->rings.ring[i]->fd);
	return err;
}

/*
 * Programs are loaded while other threads fill the arrays of maps; both must be done before anything
 * runs. The threads wait on for a grace period, which is not needed: dt_session_close() joins them.
 */
static int open_all(struct dt_session *s, char *msg, size_t len)
{
	int err = dt_maps_open(s, msg, len);

	if (!err) {
		err = dt_progs_load(s, msg, len);
		dt_map_update_visible(s->placing, s->nplacing);
		for (uint32_t i = 0; i < s->nplacing && !err; i++)
			if (dt_map_update_done(&s->placing[i]) && s->placing[i].err)
				err = dt_session_fail(msg, len, s->placing[i].err,
				    "cannot fill an array of maps");
	}
	if (err)
		return err;
	err = open_waiting(s);
	return err ? dt_session_fail(msg, len, err, "cannot prepare to wait for buffers") : 0;
}

int dt_session_open(const struct dt_image *image, const struct dt_attach *attach, uint32_t n,
    struct dt_session **out, char *msg, size_t len)
{
	struct dt_session *s = calloc(1, sizeof(*s));
	int ncpus = libbpf_num_possible_cpus(), err;

	*out = NULL;
	if (!s || ncpus < 1 || n != image->nprogs) {
		free(s);
		return dt_session_fail(msg, len, !s ? -ENOMEM : -EINVAL, "cannot begin a session");
	}
	s->image = image;
	s->ncpus = (uint32_t)ncpus;
	s->epoll = s->event = s->drops = s->btf = s->over = -1;
	err = copy_attach(s, attach, n) && allocate_lists(s) ? open_all(s, msg, len) :
	    dt_session_fail(msg, len, -ENOMEM, "cannot begin a session");
	if (err)
		dt_session_close(s);
	else
		*out = s;
	return err;
}

/* Closes whatever is open, in reverse: it is called for sessions that were never complete, too. */
void dt_session_close(struct dt_session *s)
{
	if (!s)
		return;
	dt_session_detach(s);
	dt_grafts_close(s);
	if (s->rings.of != NULL)
		dt_rings_close(s);
	dt_map_update_join(s->placing, s->nplacing);
	close_fd(&s->epoll);
	close_fd(&s->event);
	for (uint32_t i = s->image->nprogs + s->image->nmore; s->progs && i-- > 0;)
		close_fd(&s->progs[i]);
	close_fd(&s->btf);
	if (s->control)
		munmap(s->control, s->control_len);
	dt_session_unwind_close(s);
	for (uint32_t i = s->image->nmaps; s->maps && i-- > 0;)
		if (s->image->maps[i].role != DT_MAP_RING)
			close_fd(&s->maps[i]);
	for (uint32_t i = 0; s->attach && i < s->image->nprogs; i++)
		free((char *)(uintptr_t)s->attach[i].target);
	free((void *)(uintptr_t)s->attach);
	free(s->maps);
	free(s->walk_keys);
	free(s->walk_values);
	free(s->progs);
	free(s->links);
	free(s->online);
	free(s->over_seen);
	free(s->groups);
	free(s->placing);
	free(s->ticker.ticks);
	free(s);
}

/* ---- attach and detach ---- */

/*
 * Perf events are created disabled and enabled last, so that their first firings are close together on
 * all CPUs.
 */
static int enable_perf(struct dt_session *s, uint32_t first)
{
	int err = 0;

	for (uint32_t i = first; i < s->nlinks && !err; i++)
		err = dt_perf_enable(s->links[i]);
	return err;
}

/* Programs look at this flag first: nothing is traced before all probes are attached. */
static void set_gate(struct dt_session *s, bool open)
{
	if (s->control)
		__atomic_store_n(&((struct dt_control *)s->control)->stopped, !open, __ATOMIC_RELEASE);
}

int dt_session_attach(struct dt_session *s, char *msg, size_t len)
{
	int err = 0;

	s->left_out = (struct dt_left_out){ 0 };
	if (s->nlinks || s->ticker.n || s->wall)
		return dt_session_fail(msg, len, -EBUSY, "the session is attached already");
	set_gate(s, false);
	s->attached = true;
	/*
	 * The newest probe runs first: an entry probe must see the return address of the function
	 * before a return probe replaces it.
	 */
	for (uint32_t i = 0; i < s->image->nprogs && !err; i++)
		if (s->attach[i].kind == DT_HOOK_KRETPROBE)
			err = dt_attach_program(s, i, msg, len);
	for (uint32_t i = 0; i < s->image->nprogs && !err; i++)
		if (s->attach[i].kind != DT_HOOK_PERF && s->attach[i].kind != DT_HOOK_KRETPROBE)
			err = dt_attach_program(s, i, msg, len);
	if (!err)
		err = dt_attach_any(s, msg, len);
	s->perf = s->nlinks;
	for (uint32_t i = 0; i < s->image->nprogs && !err; i++)
		if (s->attach[i].kind == DT_HOOK_PERF)
			err = dt_attach_program(s, i, msg, len);
	if (err)
		dt_session_detach(s);
	return err;
}

static void run_tick(void *ctx, uint32_t prog)
{
	const struct dt_session *s = ctx;

	(void)dt_prog_run(s->progs[prog], NULL, 0);
}

/* The gate opens last, so starting the timers is not traced. */
int dt_session_start(struct dt_session *s, char *msg, size_t len)
{
	int err = enable_perf(s, s->perf);

	if (err)
		dt_session_fail(msg, len, err, "cannot start the profiling timers");
	s->ticker.run = run_tick;
	s->ticker.ctx = s;
	s->ticker.control = s->control;
	s->ticker.only_cpu = s->image->only_cpu;
	s->ticker.event = s->event;
	if (!err && (err = dt_ticker_start(&s->ticker)) != 0)
		dt_session_fail(msg, len, err, "cannot start the thread of tick probes");
	if (!err && s->image->grows)
		dt_rings_keep(s);
	if (!err) {
		set_gate(s, true);
		/* its first pass begins at once */
		if ((err = dt_wall_start(s)) != 0)
			dt_session_fail(msg, len, err, "cannot start the thread of wall probes");
	}
	if (err)
		dt_session_detach(s);
	return err;
}

/*
 * The program of a closed link may still be running on another CPU. membarrier's global command waits
 * for a grace period too, but not with a single CPU, and a kernel with nohz_full CPUs does not have it.
 */
static void wait_for_programs(struct dt_session *s)
{
	if (dt_agg_grace(s) != 0 && syscall(SYS_membarrier, 1 /* MEMBARRIER_CMD_GLOBAL */, 0, 0) != 0)
		usleep(50000);	/* neither works: longer than a grace period takes */
}

/* No program of ours runs any more when this returns; what they recorded can still be read. */
void dt_session_detach(struct dt_session *s)
{
	bool live = s->nlinks > 0 || s->graft != NULL;

	dt_wall_detach(s);
	dt_ticker_stop(&s->ticker);
	s->ticker.n = 0;
	dt_grafts_detach(s);
	while (s->nlinks > 0)
		close_fd(&s->links[--s->nlinks]);
	if (live)
		wait_for_programs(s);
	dt_rings_stop(s);
	s->attached = false;
}

/* ---- in use ---- */

/* With -x cpu only that CPU has a ring, so the thread moves there and comes back. */
int dt_session_run(struct dt_session *s, uint32_t prog, const uint64_t *args, uint32_t nargs)
{
	cpu_set_t before;
	bool moved;
	int err;

	if (prog >= s->image->nprogs || s->attach[prog].kind == DT_HOOK_PERF)
		return -EINVAL;
	moved = s->image->only_cpu && dt_cpu_stay(s->image->only_cpu - 1, &before, sizeof(before)) == 0;
	err = dt_prog_run(s->progs[prog], args, nargs);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
	return err;
}

struct dt_control *dt_session_control(struct dt_session *s)
{
	return s->control;
}

int dt_session_possible_cpus(void)
{
	return libbpf_num_possible_cpus();
}

uint32_t dt_session_ncpus(const struct dt_session *s)
{
	return s->ncpus;
}

int dt_session_lookup(struct dt_session *s, uint32_t map, const void *key, void *value)
{
	if (map >= s->image->nmaps)
		return -EINVAL;
	return bpf_map_lookup_elem(s->maps[map], key, value) < 0 ? -errno : 0;
}

int dt_session_update(struct dt_session *s, uint32_t map, const void *key, const void *value)
{
	if (map >= s->image->nmaps)
		return -EINVAL;
	return bpf_map_update_elem(s->maps[map], key, value, BPF_ANY) < 0 ? -errno : 0;
}

/* One lookup gives the counters of all CPUs. The kernel rounds each value up to eight bytes. */
int dt_session_drops_all(struct dt_session *s, struct dt_drops *out)
{
	size_t each;
	char *values;
	int err;

	memset(out, 0, s->ncpus * sizeof(*out));
	if (s->drops < 0)
		return 0;
	each = (s->image->maps[s->drops].value_size + 7u) & ~7u;
	if (each < sizeof(*out))
		return -EINVAL;
	values = malloc(each * s->ncpus);
	if (!values)
		return -ENOMEM;
	err = dt_session_lookup(s, (uint32_t)s->drops, &(uint32_t){ 0 }, values);
	for (uint32_t cpu = 0; cpu < s->ncpus && !err; cpu++)
		memcpy(&out[cpu], values + cpu * each, sizeof(*out));
	free(values);
	return err;
}

int dt_session_drops(struct dt_session *s, uint32_t cpu, struct dt_drops *out)
{
	struct dt_drops *all = cpu < s->ncpus ? calloc(s->ncpus, sizeof(*all)) : NULL;
	int err = cpu >= s->ncpus ? -EINVAL : !all ? -ENOMEM : dt_session_drops_all(s, all);

	memset(out, 0, sizeof(*out));
	if (!err)
		*out = all[cpu];
	free(all);
	return err;
}

int dt_session_pollfd(const struct dt_session *s)
{
	return s->epoll;
}

/* 1: something woke us, which need not be a record; 0: the time is over; -EINTR: a signal. */
int dt_session_wait(struct dt_session *s, uint64_t timeout_ns)
{
	int got = dt_wakeup_wait(s->epoll, s->event, timeout_ns);

	if (got > 0)
		dt_rings_look(s);
	return got;
}

int dt_session_drain(struct dt_session *s, uint32_t i, dt_ring_f *f, void *ctx)
{
	if (i >= (s->over >= 0 ? s->ncpus : s->rings.nreading))
		return -EINVAL;
	return s->over >= 0 ? dt_overwrite_drain(s, i, f, ctx) : dt_ring_drain(s->rings.reading[i], f, ctx);
}

uint64_t dt_session_range(struct dt_session *s, uint32_t i, uint64_t *end)
{
	if (s->over >= 0)
		return *end = 0;
	return dt_ring_range(s->rings.reading[i], end);
}

int dt_session_next(struct dt_session *s, uint32_t i, uint64_t *pos, uint64_t end, const void **rec,
    size_t *len)
{
	return dt_ring_next(s->rings.reading[i], pos, end, rec, len);
}

void dt_session_release(struct dt_session *s, uint32_t i, uint64_t pos)
{
	if (s->over < 0)
		dt_ring_release(s->rings.reading[i], pos);
}
