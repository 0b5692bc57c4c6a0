/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points in the kernel come in, links go out. Several functions may share a name: each is attached,
 * with the point's number as cookie. If the kernel can, one link holds all of them, by name or address.
 * A link that is refused is tried again in halves, so one bad function costs no other its probe.
 * Otherwise each gets a perf event, which also serves places inside functions.
 */
#include "base/arena.h"
#include "base/file.h"
#include "base/map.h"
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYMBOLS_MAX = 256 << 20, F_RETURN = 1 };

struct place {
	uint64_t addr;			/* 0: the kernel hides addresses; attach by name */
	uint32_t point;
	bool shared;			/* its name has other addresses as well */
	bool beyond;			/* its offset is larger than the function */
};

struct attaching {
	struct dt_session *s;
	uint32_t prog;
	const struct dt_attach *at;
	struct dt_arena *arena;
	struct dt_map wanted;		/* "name" or "module`name" -> 1 + the first point there */
	uint32_t *next;			/* by point: 1 + another one of the same name */
	uint32_t *found;		/* by point: how many addresses */
	/* By point: 0, 1 once a program is attached, or -errno of the last refusal */
	int *answer;
	DT_VEC(struct place) places;
	uint32_t type;			/* of perf kprobe events */
	uint32_t tried;
};

/* A point with several functions counts as attached if one of them is. */
static void refuse_point(struct attaching *a, uint32_t point, int err)
{
	if (a->answer[point] <= 0)
		a->answer[point] = err;
}

static void leave_out(struct attaching *a, uint32_t point, int err)
{
	struct dt_left_out *out = &a->s->left_out;

	const struct dt_point *p = &a->at->points[point];

	if (out->n++ > 0)
		return;
	out->err = err;
	if (p->offset != 0)
		snprintf(out->example, sizeof(out->example), "%s+%llu", p->target,
		    (unsigned long long)p->offset);
	else
		snprintf(out->example, sizeof(out->example), "%s", p->target);
}

/* ---- names to addresses ---- */

/* Points of the same name are chained, so one line of kallsyms serves all. */
static void index_points(struct attaching *a)
{
	dt_map_init(&a->wanted, a->arena);
	a->next = DT_NEWN(a->arena, uint32_t, a->at->npoints);
	a->found = DT_NEWN(a->arena, uint32_t, a->at->npoints);
	for (uint32_t i = 0; i < a->at->npoints; i++) {
		a->next[i] = (uint32_t)(uintptr_t)dt_map_get(&a->wanted, a->at->points[i].target);
		dt_map_put(&a->wanted, a->at->points[i].target, (void *)(uintptr_t)(i + 1));
	}
}

static void take_place(struct attaching *a, uint32_t first, uint64_t addr)
{
	for (uint32_t i = first; i != 0; i = a->next[i - 1]) {
		struct place p = { .addr = addr, .point = i - 1 };

		a->found[i - 1]++;
		if (addr != 0 || a->found[i - 1] == 1)
			dt_vec_push(a->arena, &a->places, p);
	}
}

/* "ffff800080010000 T name" or the same with "\t[module]". */
static void take_line(struct attaching *a, const char *line, const char *end)
{
	char *after, key[512];
	uint64_t addr = strtoull(line, &after, 16);
	const char *name = after + 3, *stop, *module;
	size_t len;
	void *point;

	if (end - after < 4 || after[0] != ' ' || strchr("tTwW", after[1]) == NULL || after[2] != ' ')
		return;
	len = strcspn(name, "\t\n");
	stop = name + len;
	if (stop < end && stop[0] == '\t' && stop[1] == '[') {
		module = stop + 2;
		len = (size_t)snprintf(key, sizeof(key), "%.*s`%.*s", (int)strcspn(module, "]\n"), module,
		    (int)len, name);
		point = len < sizeof(key) ? dt_map_getn(&a->wanted, key, len) : NULL;
	} else {
		point = dt_map_getn(&a->wanted, name, len);
	}
	if (point != NULL)
		take_place(a, (uint32_t)(uintptr_t)point, addr);
}

/* An offset must lie before the next symbol: the kernel itself would accept any address of code. */
static void check_offsets(struct attaching *a, const char *text)
{
	for (size_t i = 0; i < a->places.n; i++) {
		struct place *v = &a->places.v[i];
		uint64_t off = a->at->points[v->point].offset, addr;

		if (off == 0 || v->addr == 0)
			continue;
		for (const char *line = text; *line != '\0' && !v->beyond;
		     line = *line != '\0' ? line + 1 : line) {
			addr = strtoull(line, NULL, 16);
			v->beyond = addr > v->addr && addr <= v->addr + off;
			line = strchrnul(line, '\n');
		}
	}
}

static int find_places(struct attaching *a)
{
	char *text;
	size_t len;
	int err = dt_file_read("/proc/kallsyms", SYMBOLS_MAX, &text, &len);

	if (err != 0)
		return err;
	for (const char *line = text; *line != '\0';) {
		const char *end = strchrnul(line, '\n');

		take_line(a, line, end);
		line = *end != '\0' ? end + 1 : end;
	}
	check_offsets(a, text);
	free(text);
	for (uint32_t i = 0; i < a->at->npoints; i++)
		if (a->found[i] == 0)
			refuse_point(a, i, -ENOENT);
	for (size_t i = 0; i < a->places.n; i++)
		a->places.v[i].shared = a->found[a->places.v[i].point] > 1;
	a->tried = (uint32_t)a->places.n;
	return 0;
}

/* ---- one link for many ---- */

static const char *without_module(const char *target)
{
	const char *tick = strchr(target, '`');

	return tick != NULL ? tick + 1 : target;
}

static int link_many(struct attaching *a, const struct place *v, uint32_t n)
{
	unsigned long *addrs = calloc(n + 1u, sizeof(*addrs));
	__u64 *cookies = calloc(n + 1u, sizeof(*cookies));
	const char **names = calloc(n + 1u, sizeof(*names));
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.cnt = n, .kprobe_multi.cookies = cookies,
	    .kprobe_multi.flags = a->at->kind == DT_HOOK_KRETPROBE ? F_RETURN : 0);
	int fd = -ENOMEM;

	for (uint32_t i = 0; addrs && cookies && names && i < n; i++) {
		addrs[i] = v[i].addr;
		cookies[i] = v[i].point;
		names[i] = without_module(a->at->points[v[i].point].target);
	}
	if (n > 0 && v[0].addr != 0)
		opts.kprobe_multi.addrs = addrs;
	else
		opts.kprobe_multi.syms = names;
	if (addrs && cookies && names) {
		fd = bpf_link_create(a->s->progs[a->prog], 0, BPF_TRACE_KPROBE_MULTI, &opts);
		fd = fd < 0 ? -errno : fd;
	}
	free(addrs);
	free(cookies);
	free(names);
	return fd;
}

/* Errors that halving the list cannot cure. */
static bool error_is_final(int err)
{
	return err == -EPERM || err == -ENOMEM || err == -EMFILE || err == -EOPNOTSUPP;
}

static void attach_many(struct attaching *a, const struct place *v, uint32_t n)
{
	int fd = n > 0 ? link_many(a, v, n) : 0;

	if (n == 0)
		return;
	if (fd >= 0 && !dt_session_keep(a->s, fd))
		fd = -ENOMEM;
	for (uint32_t i = 0; fd >= 0 && i < n; i++)
		a->answer[v[i].point] = 1;
	if (fd >= 0)
		return;
	if (n == 1 || error_is_final(fd)) {
		for (uint32_t i = 0; i < n; i++)
			refuse_point(a, v[i].point, fd);
		return;
	}
	attach_many(a, v, n / 2);
	attach_many(a, v + n / 2, n - n / 2);
}

/*
 * Places whose name is shared come last: some functions of one name may not be traceable, and the list
 * by name does not tell which.
 */
static int unshared_first(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->shared != b->shared)
		return a->shared ? 1 : -1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/*
 * If all names are unambiguous, the kernel looks them up itself, many times faster than its list of
 * symbols can be read (seconds, on a slow machine). All or none: nothing may be live while symbols are
 * read, because that calls functions by the million. False: the kernel does not know one of the names
 * (those of modules before 6.3), or they must be looked up here.
 */
static bool attach_names(struct attaching *a)
{
	uint32_t all = a->at->npoints;
	bool done;
	int fd;

	for (uint32_t i = 0; i < all; i++) {
		struct place p = { .point = i };

		if (!a->at->points[i].alone || a->at->points[i].offset != 0)
			break;
		dt_vec_push(a->arena, &a->places, p);
	}
	fd = all > 0 && a->places.n == all ? link_many(a, a->places.v, all) : -ENOENT;
	done = fd >= 0 && dt_session_keep(a->s, fd);
	a->places.n = 0;
	return done;
}

static void attach_multi(struct attaching *a)
{
	uint32_t n = 0, all = (uint32_t)a->places.n;

	if (all == 0)
		return;
	qsort(a->places.v, all, sizeof(*a->places.v), unshared_first);
	while (n < all && !a->places.v[n].shared)
		n++;
	attach_many(a, a->places.v, n);
	attach_many(a, a->places.v + n, all - n);
}

/* ---- one event each ---- */

static uint32_t perf_type(void)
{
	char *text = NULL;
	size_t len;
	uint32_t type = 0;

	if (dt_file_read("/sys/bus/event_source/devices/kprobe/type", 64, &text, &len) == 0)
		type = (uint32_t)strtoul(text, NULL, 10);
	free(text);
	return type;
}

static int link_one(struct attaching *a, const struct place *v)
{
	const struct dt_point *p = &a->at->points[v->point];
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = a->type, .config = a->at->kind == DT_HOOK_KRETPROBE
	};
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = v->point);
	int event, fd;

	if (v->addr != 0) {
		attr.kprobe_addr = v->addr + p->offset;
	} else {
		attr.kprobe_func = (uint64_t)(uintptr_t)p->target;
		attr.probe_offset = p->offset;
	}
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	fd = bpf_link_create(a->s->progs[a->prog], event, BPF_PERF_EVENT, &opts);
	if (fd < 0)
		fd = errno == EINVAL ? -EOPNOTSUPP : -errno;	/* before 5.15 */
	close(event);			/* the link keeps it alive */
	return fd;
}

static void attach_single(struct attaching *a)
{
	for (size_t i = 0; i < a->places.n; i++) {
		const struct place *v = &a->places.v[i];
		int fd = v->beyond ? -ERANGE : link_one(a, v);

		if (fd >= 0 && !dt_session_keep(a->s, fd))
			fd = -ENOMEM;
		if (fd < 0)
			refuse_point(a, v->point, fd);
		else
			a->answer[v->point] = 1;
	}
}

/* ---- all of it ---- */

static int attach_all(struct attaching *a, char *msg, size_t len)
{
	int err;

	a->s->left_out.of += a->at->npoints;
	if (a->at->multi && attach_names(a))
		return 0;
	index_points(a);
	err = find_places(a);
	if (err != 0)
		return dt_session_fail(msg, len, err, "cannot read the kernel's symbols");
	if (a->at->multi) {
		attach_multi(a);
	} else {
		a->type = perf_type();
		if (a->type == 0)
			return dt_session_fail(msg, len, -EOPNOTSUPP,
			    "this kernel has no kprobes, which probes of its functions need");
		err = dt_attach_room(a->tried, "kernel functions", "kprobe_multi", msg, len);
		if (err != 0)
			return err;
		a->s->left_out.singles += a->tried;
		attach_single(a);
	}
	for (uint32_t i = 0; i < a->at->npoints; i++)
		if (a->answer[i] <= 0)
			leave_out(a, i, a->answer[i]);
	return 0;
}

int dt_kprobe_attach(struct dt_session *s, uint32_t prog, char *msg, size_t len)
{
	struct attaching a = { .s = s, .prog = prog, .at = &s->attach[prog], .arena = dt_arena_new() };
	jmp_buf oom;
	int err;

	if (a.arena == NULL || setjmp(oom) != 0) {
		dt_arena_free(a.arena);
		return dt_session_fail(msg, len, -ENOMEM, "cannot attach to %u kernel functions",
		    s->attach[prog].npoints);
	}
	dt_arena_on_oom(a.arena, &oom);
	a.answer = DT_NEWN(a.arena, int, a.at->npoints);
	err = attach_all(&a, msg, len);
	dt_arena_free(a.arena);
	return err;
}
