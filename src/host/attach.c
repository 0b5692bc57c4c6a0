/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loaded program goes live: as raw tracepoint, trampoline of a kernel function, kprobe, uprobe, perf event. Every link is a
 * descriptor in s->links; when it is closed, by us or by our death, the kernel takes the program off.
 */
#include "host/session_impl.h"
#include "host/uprobe.h"

#include <bpf/bpf.h>
#include <errno.h>

static void keep(struct dt_session *s, int fd) { s->links[s->nlinks++] = fd; }

static int rawtp(struct dt_session *s, uint32_t i, const char *target, char *msg, size_t len)
{
	int fd = bpf_raw_tracepoint_open(target, s->progs[i]);

	if (fd >= 0) {
		keep(s, fd);
		return 0;
	}
	if (errno == EINVAL)
		return dt_session_fail(msg, len, -EINVAL, "the program for tracepoint %s uses more arguments than it has", target);
	return dt_session_fail(msg, len, -errno, "cannot attach to tracepoint %s", target);
}

static int trampoline(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	int fd = bpf_raw_tracepoint_open(NULL, s->progs[i]);

	if (fd < 0)
		return dt_session_fail(msg, len, -errno, "cannot attach to the kernel function %s", s->attach[i].target);
	keep(s, fd);
	return 0;
}

static int clocks(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	for (uint32_t cpu = 0; cpu < s->ncpus; cpu++) {
		int fd;

		if (!dt_cpu_wanted(s, cpu))
			continue;
		fd = dt_perf_open(cpu, s->attach[i].interval, s->progs[i]);
		if (fd < 0)
			return dt_session_fail(msg, len, fd, "cannot make a profiling timer on CPU %u", cpu);
		keep(s, fd);
	}
	return 0;
}

static int counters(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	const struct dt_attach *a = &s->attach[i];

	for (uint32_t cpu = 0; cpu < s->ncpus; cpu++) {
		int fd;

		if (!dt_cpu_wanted(s, cpu))
			continue;
		fd = dt_perf_count(cpu, a->target, a->interval, s->progs[i]);
		if (fd < 0)
			return dt_session_fail(msg, len, fd, "cannot count %s on CPU %u", a->target, cpu);
		keep(s, fd);
		if (dt_perf_enable(fd) < 0)
			return dt_session_fail(msg, len, -errno, "cannot count %s on CPU %u", a->target, cpu);
	}
	return 0;
}

static int uprobes(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	const struct dt_attach *a = &s->attach[i];
	struct dt_uprobes u = { .prog = s->progs[i], .ret = a->kind == DT_HOOK_URETPROBE, .multi = a->multi, .points = a->points,
		.n = a->npoints };
	int n = dt_uprobe_attach(&u, s->links + s->nlinks, msg, len);

	if (n < 0)
		return n;
	s->nlinks += (uint32_t)n;
	return 0;
}

int dt_attach_program(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	const struct dt_attach *a = &s->attach[i];

	switch (a->kind) {
	case DT_HOOK_TICK:
		s->ticker.ticks[s->ticker.n++] = (struct dt_tick){ .prog = s->progs[i], .interval = a->interval ? a->interval : 1 };
		return 0;
	case DT_HOOK_PERF: return clocks(s, i, msg, len);
	case DT_HOOK_COUNTER: return counters(s, i, msg, len);
	case DT_HOOK_SYS_ENTER: return rawtp(s, i, "sys_enter", msg, len);
	case DT_HOOK_SYS_EXIT: return rawtp(s, i, "sys_exit", msg, len);
	case DT_HOOK_RAWTP: return rawtp(s, i, a->target, msg, len);
	case DT_HOOK_FENTRY: case DT_HOOK_FEXIT: return trampoline(s, i, msg, len);
	case DT_HOOK_UPROBE: case DT_HOOK_URETPROBE: return uprobes(s, i, msg, len);
	default: return 0;
	}
}

enum bpf_prog_type dt_attach_type(const struct dt_session *s, uint32_t i, struct bpf_prog_load_opts *opts)
{
	const struct dt_attach *a = &s->attach[i];

	switch (a->kind) {
	case DT_HOOK_PERF: case DT_HOOK_COUNTER: return BPF_PROG_TYPE_PERF_EVENT;
	case DT_HOOK_FENTRY: case DT_HOOK_FEXIT:
		opts->expected_attach_type = a->kind == DT_HOOK_FENTRY ? BPF_TRACE_FENTRY : BPF_TRACE_FEXIT;
		opts->attach_btf_id = a->btf_id;
		return BPF_PROG_TYPE_TRACING;
	case DT_HOOK_UPROBE: case DT_HOOK_URETPROBE:
		if (a->multi)
			opts->expected_attach_type = (enum bpf_attach_type)DT_ATTACH_UPROBE_MULTI;
		return BPF_PROG_TYPE_KPROBE;
	case DT_HOOK_KPROBE: case DT_HOOK_KRETPROBE: return BPF_PROG_TYPE_KPROBE;
	default: return BPF_PROG_TYPE_RAW_TRACEPOINT;
	}
}
