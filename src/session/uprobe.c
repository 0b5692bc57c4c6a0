/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points come in, links go out. If the kernel can, the points of one file share one link (600 in 12
 * ms). A link that is refused is tried again in halves, so one instruction that the kernel cannot step
 * over costs no other point its probe. Kernels before 6.6 get a perf event for each point. The kernel
 * opens the path: callers pass /proc/self/fd/N of a file that they have checked.
 */
#include "session/uprobe.h"
#include "session/impl.h"

#include "machine/machine.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Newer than the headers we may be built with, as are these words of union bpf_attr */
enum { F_RETURN = 1 };

struct link_multi {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctrs, cookies;
	uint32_t cnt, multi_flags, pid, pad;
};

/* The system call itself: the libbpf that we are built with may not know this kind of link. */
static int link_multi(struct link_multi *attr)
{
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

/* Asks the kernel instead of looking at its version, as vendors backport. */
bool dt_uprobe_multi(void)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
	    .expected_attach_type = (enum bpf_attach_type)DT_ATTACH_UPROBE_MULTI);
	uint64_t offset = 0;
	struct link_multi attr = { .attach_type = DT_ATTACH_UPROBE_MULTI, .path = (uint64_t)(uintptr_t)"/",
		.offsets = (uint64_t)(uintptr_t)&offset, .cnt = 1 };
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "Dual BSD/GPL", nothing, 2, &opts), err;

	if (prog < 0)
		return false;
	attr.prog_fd = (uint32_t)prog;
	err = link_multi(&attr);
	close(prog);
	if (err >= 0)
		close(err);
	return err == -EBADF;		/* "not a regular file": the kernel knows the request */
}

/*
 * Before 6.10 the kernel's filter matches only the first thread of a process; programs then check the
 * process themselves.
 */
static bool pid_filter_works(void)
{
	struct utsname u;
	unsigned major = 0, minor = 0;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	    (major > 6 || (major == 6 && minor >= 10));
}

struct attaching {
	struct dt_uprobes *u;
	int *links;
	int nlinks;
	/* In the order of attaching: by file and process; the cookie is the index of the point */
	uint64_t *offsets, *ref_ctrs, *cookies;
	uint32_t n;			/* of these: points that may be attached */
	bool filter;
	uint32_t type;			/* of perf uprobe events */
};

static void refuse_point(struct attaching *a, uint32_t at, int err)
{
	if (a->u->refused++ == 0) {
		a->u->example = at;
		a->u->first_error = err;
	}
}

static const struct dt_point *point_at(const struct attaching *a, uint32_t at)
{
	return &a->u->points[a->cookies[at]];
}

/* Places from … from + n belong to one file and process. */
static void attach_multi(struct attaching *a, uint32_t from, uint32_t n)
{
	const struct dt_point *p = point_at(a, from);
	struct link_multi attr = { .prog_fd = (uint32_t)a->u->prog,
		.attach_type = DT_ATTACH_UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t)p->target,
		.offsets = (uint64_t)(uintptr_t)(a->offsets + from),
		.cookies = (uint64_t)(uintptr_t)(a->cookies + from),
		.cnt = n,
		.multi_flags = a->u->ret ? F_RETURN : 0,
		.pid = a->filter ? p->pid : 0 };
	int fd;

	for (uint32_t i = 0; i < n; i++)
		if (a->ref_ctrs[from + i])
			attr.ref_ctrs = (uint64_t)(uintptr_t)(a->ref_ctrs + from);
	fd = link_multi(&attr);
	if (fd >= 0) {
		a->links[a->nlinks++] = fd;
	} else if (n == 1 || fd == -EPERM || fd == -ENOMEM || fd == -EMFILE) {
		for (uint32_t i = 0; i < n; i++)
			refuse_point(a, (uint32_t)a->cookies[from + i], fd);
	} else {
		attach_multi(a, from, n / 2);
		attach_multi(a, from + n / 2, n - n / 2);
	}
}

/* One event and one link for one point, as kernels before 6.6 need it. */
static void attach_perf(struct attaching *a, uint32_t at)
{
	const struct dt_point *p = &a->u->points[at];
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = a->type,
		.config = (a->u->ret ? 1 : 0) | p->ref_ctr << 32,
		.uprobe_path = (uint64_t)(uintptr_t)p->target,
		.probe_offset = p->offset };
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = at);
	/* For all processes, whatever CPU is named: the program tells them apart. */
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), link;

	if (event < 0) {
		refuse_point(a, at, -errno);
		return;
	}
	link = bpf_link_create(a->u->prog, event, BPF_PERF_EVENT, &opts);
	if (link < 0)
		refuse_point(a, at, errno == EINVAL ? -EOPNOTSUPP : -errno);	/* before 5.15 */
	else
		a->links[a->nlinks++] = link;
	close(event);			/* the link keeps it alive */
}

static uint32_t perf_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	uint32_t type = 0;

	if (f) {
		if (fscanf(f, "%u", &type) != 1)
			type = 0;
		fclose(f);
	}
	return type;
}

/* By file, then process, then offset: runs of one file and process share a link. */
static int compare_points(const void *x, const void *y, void *points)
{
	const struct dt_point *a = (const struct dt_point *)points + *(const uint64_t *)x,
			      *b = (const struct dt_point *)points + *(const uint64_t *)y;
	int file = strcmp(a->target, b->target);

	if (file)
		return file;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/*
 * Instructions that the kernel accepts and then runs wrongly: a process would go on with wrong results. Files
 * that cannot be read are the kernel's to refuse.
 */
static void refuse_misread(struct attaching *a)
{
	const struct dt_machine *m = dt_machine_here();
	const char *path = NULL;
	uint32_t kept = 0;
	int fd = -1;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct dt_point *p = point_at(a, i);
		uint8_t code[16];
		ssize_t len;

		if (path == NULL || strcmp(path, p->target) != 0) {
			if (fd >= 0)
				close(fd);
			fd = open(p->target, O_RDONLY | O_CLOEXEC);
			path = p->target;
		}
		len = fd >= 0 ? pread(fd, code, sizeof(code), (off_t)p->offset) : 0;
		if (len > 0 && m->misread(code, (size_t)len))
			refuse_point(a, (uint32_t)a->cookies[i], -ENOEXEC);
		else
			a->cookies[kept++] = a->cookies[i];
	}
	if (fd >= 0)
		close(fd);
	a->n = kept;
}

/* How many points from here on belong to one file and process. */
static uint32_t run_length(const struct attaching *a, uint32_t from)
{
	uint32_t n = 1;

	while (from + n < a->n && point_at(a, from + n)->pid == point_at(a, from)->pid &&
	    strcmp(point_at(a, from + n)->target, point_at(a, from)->target) == 0)
		n++;
	return n;
}

/* The cookie is the index of a point in the caller's order, whatever the order of attaching. */
static void attach_all(struct attaching *a)
{
	struct dt_uprobes *u = a->u;

	for (uint32_t i = 0; i < u->n; i++)
		a->cookies[i] = i;
	if (u->multi)
		qsort_r(a->cookies, u->n, sizeof(*a->cookies), compare_points, (void *)(uintptr_t)u->points);
	a->n = u->n;
	if (dt_machine_here() != NULL && dt_machine_here()->misread != NULL)
		refuse_misread(a);
	for (uint32_t i = 0; i < a->n; i++) {
		a->offsets[i] = point_at(a, i)->offset;
		a->ref_ctrs[i] = point_at(a, i)->ref_ctr;
	}
	for (uint32_t i = 0, n; i < a->n; i += n) {
		n = u->multi ? run_length(a, i) : 1;
		if (u->multi)
			attach_multi(a, i, n);
		else
			attach_perf(a, (uint32_t)a->cookies[i]);
	}
}

/* "offset 0x10 of /usr/bin/ls": the path of a point is /proc/self/fd/N */
void dt_uprobe_show(const struct dt_point *p, char *buf, size_t len)
{
	char path[PATH_MAX];
	ssize_t n = readlink(p->target, path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	snprintf(buf, len, "offset %#llx of %s", (unsigned long long)p->offset, n > 0 ? path : p->target);
}

static int explain_refusal(const struct dt_uprobes *u, char *msg, size_t len)
{
	const struct dt_point *p = &u->points[u->example];
	char place[PATH_MAX + 64];

	if (p->pid != 0 && kill((pid_t)p->pid, 0) != 0 && errno == ESRCH) {
		snprintf(msg, len, "process %u has ended", p->pid);
		return -ESRCH;
	}
	if (u->first_error == -EPERM)
		return dt_session_fail(msg, len, u->first_error, " ");
	dt_uprobe_show(p, place, sizeof(place));
	snprintf(msg, len, "cannot put a probe at %s: %s", place, dt_attach_why(u->first_error));
	return u->first_error;
}

/*
 * Returns how many links it made. Points that were refused are counted in *u; only if all were it is an
 * error.
 */
int dt_uprobe_attach(struct dt_uprobes *u, int *links, char *msg, size_t len)
{
	struct attaching a = { .u = u, .links = links, .filter = u->multi && pid_filter_works() };
	uint64_t *words = calloc(3 * (size_t)u->n + 1, sizeof(*words));

	u->refused = 0;
	if (!words)
		return dt_session_fail(msg, len, -ENOMEM, "cannot attach to %u places in programs", u->n);
	a.offsets = words;
	a.ref_ctrs = words + u->n;
	a.cookies = words + 2 * (size_t)u->n;
	if (!u->multi && (a.type = perf_type()) == 0) {
		free(words);
		return dt_session_fail(msg, len, -EOPNOTSUPP,
		    "this kernel has no uprobes, which probes in processes need");
	}
	if (!u->multi &&
	    dt_attach_room(u->n, "places in programs", "uprobe_multi (Linux 6.6)", msg, len) != 0) {
		free(words);
		return -EMFILE;
	}
	attach_all(&a);
	free(words);
	return a.nlinks || !u->n ? a.nlinks : explain_refusal(u, msg, len);
}
