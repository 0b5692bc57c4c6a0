/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches a loaded program: as a raw tracepoint, trampoline of a kernel function, kprobe, uprobe or
 * perf event. Every link is a descriptor in s->links. When it is closed, by us or by our death, the
 * kernel removes the program.
 */
#include "kernel/kfunc.h"
#include "base/count.h"
#include "session/impl.h"
#include "session/uprobe.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SPARE_DESCRIPTORS = 256 };

/* Makes room for n more links. */
static bool make_room(struct dt_session *s, uint32_t n)
{
	uint32_t cap = 2 * s->links_cap + n;
	int *more;

	if (s->links_cap - s->nlinks >= n)
		return true;
	more = realloc(s->links, cap * sizeof(*more));
	if (!more)
		return false;
	s->links = more;
	s->links_cap = cap;
	return true;
}

/*
 * The descriptor is the session's, also when there is no room to note it: it is closed then, and its
 * probe gone.
 */
bool dt_session_keep(struct dt_session *s, int fd)
{
	if (!make_room(s, 1)) {
		close(fd);
		return false;
	}
	s->links[s->nlinks++] = fd;
	return true;
}

/* 0, or the link is gone, as there is no memory to note it. */
static int keep_link(struct dt_session *s, int fd, char *msg, size_t len)
{
	return dt_session_keep(s, fd) ? 0 : dt_session_fail(msg, len, -ENOMEM, "cannot note a probe");
}

/* Counts places that were refused; the first one is the example in the message. */
static void leave_out(struct dt_session *s, uint32_t n, const char *example, int err)
{
	if (n && !s->left_out.n) {
		snprintf(s->left_out.example, sizeof(s->left_out.example), "%s", example);
		s->left_out.err = err;
	}
	s->left_out.n += n;
}

const struct dt_left_out *dt_session_left_out(const struct dt_session *s) { return &s->left_out; }

enum { NOT_STEPPED = 524 };	/* ENOTSUPP, which only the kernel's own headers have */

/* What the kernel's answers mean here. */
static const struct { int err; const char *text; } answers[] = {
	{ EILSEQ, "no instruction begins there" },
	{ ERANGE, "the function is shorter" },
	{ ENOENT, "the kernel shows no function of that name" },
	{ ESRCH, "the kernel shows no function of that name" },
	{ EINVAL, "the kernel allows no probe there" },
	{ EADDRNOTAVAIL, "the kernel allows no probe there" },
	{ EOPNOTSUPP, "this kernel has no links of perf events: use Linux 5.15 or newer" },
	{ NOT_STEPPED, "the kernel cannot execute this instruction from another place" },
	{ ENOEXEC, "the kernel would not execute this AVX instruction (-x engine=process does)" },
	{ ENOSYS, "this kernel has no perf events: use one with CONFIG_PERF_EVENTS" },
};

const char *dt_attach_why(int err)
{
	for (size_t i = 0; i < DT_COUNT(answers); i++)
		if (answers[i].err == -err)
			return answers[i].text;
	return strerror(-err);
}

/* Fails only if every place was refused. Some that were left out are a warning, and the rest is traced. */
int dt_attach_any(struct dt_session *s, char *msg, size_t len)
{
	const struct dt_left_out *out = &s->left_out;

	if (!out->n || out->n < out->of)
		return 0;
	if (out->err == -EPERM)
		return dt_session_fail(msg, len, out->err, " ");
	snprintf(msg, len, "cannot attach to %s%s: %s", out->example, out->n > 1 ? " and others" : "",
	    dt_attach_why(out->err));
	return out->err;
}

/* The kernel checks here, and not when it loads, how many arguments of the tracepoint a program reads. */
static int attach_rawtp(struct dt_session *s, uint32_t i, const char *target, char *msg, size_t len)
{
	int fd = bpf_raw_tracepoint_open(target, s->progs[i]);

	if (fd >= 0)
		return keep_link(s, fd, msg, len);
	if (errno == EINVAL)
		return dt_session_fail(msg, len, -EINVAL,
		    "the program for tracepoint %s uses more arguments than it has", target);
	return dt_session_fail(msg, len, -errno, "cannot attach to tracepoint %s", target);
}

/* A refused function is only left out: the others go on. */
static int attach_trampoline(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	int fd = bpf_raw_tracepoint_open(NULL, s->progs[i]);

	s->left_out.of++;
	if (fd >= 0)
		return keep_link(s, fd, msg, len);
	leave_out(s, 1, s->attach[i].target, -errno);
	return 0;
}

/* One timer for each CPU. They stay disabled until dt_session_start(). */
static int attach_clocks(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	for (uint32_t cpu = 0; cpu < s->ncpus; cpu++) {
		int fd;

		if (!dt_cpu_wanted(s, cpu))
			continue;
		fd = dt_perf_open(cpu, s->attach[i].interval, s->progs[i]);
		if (fd == -ENOSYS)
			return dt_session_fail(msg, len, fd,
			    "profile-n needs a kernel with CONFIG_PERF_EVENTS, and this one has "
			    "no perf events");
		if (fd < 0)
			return dt_session_fail(msg, len, fd, "cannot make a profiling timer on CPU %u", cpu);
		if (keep_link(s, fd, msg, len) != 0)
			return -ENOMEM;
	}
	return 0;
}

/* Counters are enabled at once: they have no common start as timers have. */
static int attach_counters(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	const struct dt_attach *a = &s->attach[i];

	for (uint32_t cpu = 0; cpu < s->ncpus; cpu++) {
		int fd;

		if (!dt_cpu_wanted(s, cpu))
			continue;
		fd = dt_perf_count(cpu, a->target, a->interval, s->progs[i]);
		if (fd < 0)
			return dt_session_fail(msg, len, fd, "cannot count %s on CPU %u", a->target, cpu);
		if (keep_link(s, fd, msg, len) != 0)
			return -ENOMEM;
		if (dt_perf_enable(fd) < 0)
			return dt_session_fail(msg, len, -errno, "cannot count %s on CPU %u", a->target, cpu);
	}
	return 0;
}

/* Links are written straight into s->links, in which there is room for one for each place. */
static int attach_uprobes(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	const struct dt_attach *a = &s->attach[i];
	struct dt_uprobes u = { .prog = s->progs[i],
		.ret = a->kind == DT_HOOK_URETPROBE,
		.multi = a->multi,
		.points = a->points,
		.n = a->npoints };
	char place[sizeof(s->left_out.example)] = "";
	int n;

	if (a->npoints == 0)		/* the clauses wait for a program to be started */
		return 0;
	n = make_room(s, a->npoints) ? dt_uprobe_attach(&u, s->links + s->nlinks, msg, len) :
	    dt_session_fail(msg, len, -ENOMEM, "cannot attach to %u places in programs", a->npoints);
	if (n < 0)
		return n;
	s->nlinks += (uint32_t)n;
	s->left_out.of += a->npoints;
	if (u.refused != 0)
		dt_uprobe_show(&a->points[u.example], place, sizeof(place));
	leave_out(s, u.refused, place, u.first_error);
	return 0;
}

/* Reading the list takes a descriptor, too, which is in it. */
static uint64_t open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	uint64_t n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

/*
 * In addition to those that are open, and some that will be opened while tracing. The hard limit is raised
 * only if needed: that takes CAP_SYS_RESOURCE, and fs.nr_open is the limit for all users.
 */
int dt_attach_room(uint32_t n, const char *what, const char *lacking, char *msg, size_t len)
{
	uint64_t want = open_descriptors() + n + SPARE_DESCRIPTORS;
	struct rlimit r, more;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= want)
		return 0;
	more = (struct rlimit){ want, r.rlim_max > want ? r.rlim_max : want };
	if (setrlimit(RLIMIT_NOFILE, &more) == 0)
		return 0;
	snprintf(msg, len,
	    "%u %s need a descriptor each on this kernel, which has no %s, and %llu is the most that may be "
	    "open: "
	    "enable fewer, or raise the hard limit (ulimit -Hn)",
	    n, what, lacking, (unsigned long long)r.rlim_max);
	return -EMFILE;
}

/* The kernel counts, for each program, the firings that it skipped. */
uint64_t dt_session_missed(const struct dt_session *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->image->nprogs; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t size = sizeof(info);

		if (s->attach[i].kind >= DT_HOOK_SYS_FENTRY && s->attach[i].kind <= DT_HOOK_KRETPROBE &&
		    bpf_obj_get_info_by_fd(s->progs[i], &info, &size) == 0)
			n += info.recursion_misses;
	}
	return n;
}

/* BEGIN, END and the like are not attached: they are run by hand. */
int dt_attach_program(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	const struct dt_attach *a = &s->attach[i];

	switch (a->kind) {
	case DT_HOOK_TICK:
		s->ticker.ticks[s->ticker.n++] = (struct dt_tick){ .prog = i,
			.interval = a->interval ? a->interval : 1 };
		return 0;
	case DT_HOOK_WALL: return dt_wall_attach(s, i, msg, len);
	case DT_HOOK_PERF: return attach_clocks(s, i, msg, len);
	case DT_HOOK_COUNTER: return attach_counters(s, i, msg, len);
	case DT_HOOK_SYS_ENTER: return attach_rawtp(s, i, "sys_enter", msg, len);
	case DT_HOOK_SYS_EXIT: return attach_rawtp(s, i, "sys_exit", msg, len);
	case DT_HOOK_RAWTP: return attach_rawtp(s, i, a->target, msg, len);
	case DT_HOOK_SYS_FENTRY:
	case DT_HOOK_SYS_FEXIT:
	case DT_HOOK_FENTRY:
	case DT_HOOK_FEXIT: return attach_trampoline(s, i, msg, len);
	case DT_HOOK_KPROBE: case DT_HOOK_KRETPROBE: return dt_kprobe_attach(s, i, msg, len);
	case DT_HOOK_UPROBE: case DT_HOOK_URETPROBE: return attach_uprobes(s, i, msg, len);
	default: return 0;
	}
}

/*
 * What the kernel must know of a program when it is loaded, as it follows from where it will be
 * attached.
 */
enum bpf_prog_type dt_attach_type(const struct dt_session *s, uint32_t i, struct bpf_prog_load_opts *opts)
{
	const struct dt_attach *a = &s->attach[i];
	int btf;

	switch (a->kind) {
	case DT_HOOK_PERF: case DT_HOOK_COUNTER: return BPF_PROG_TYPE_PERF_EVENT;
	case DT_HOOK_WALL:
		opts->expected_attach_type = BPF_TRACE_ITER;
		opts->attach_btf_id = a->btf_id;
		opts->prog_flags = BPF_F_SLEEPABLE;
		return BPF_PROG_TYPE_TRACING;
	case DT_HOOK_SYS_FENTRY: case DT_HOOK_SYS_FEXIT: case DT_HOOK_FENTRY: case DT_HOOK_FEXIT:
		opts->expected_attach_type = a->kind == DT_HOOK_FENTRY || a->kind == DT_HOOK_SYS_FENTRY ?
		    BPF_TRACE_FENTRY :
		    BPF_TRACE_FEXIT;
		opts->attach_btf_id = a->btf_id;
		btf = dt_kfunc_btf(a->target);
		opts->attach_btf_obj_fd = btf > 0 ? (uint32_t)btf : 0;
		return BPF_PROG_TYPE_TRACING;
	case DT_HOOK_UPROBE: case DT_HOOK_URETPROBE:
		if (a->multi)
			opts->expected_attach_type = (enum bpf_attach_type)DT_ATTACH_UPROBE_MULTI;
		return BPF_PROG_TYPE_KPROBE;
	case DT_HOOK_KPROBE: case DT_HOOK_KRETPROBE:
		if (a->multi)
			opts->expected_attach_type = BPF_TRACE_KPROBE_MULTI;
		return BPF_PROG_TYPE_KPROBE;
	default: return BPF_PROG_TYPE_RAW_TRACEPOINT;
	}
}
