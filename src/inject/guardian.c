/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both sides of the guardian. dtrace writes messages into a socket: each is whole, or counts as not sent,
 * since nothing is changed in a process before its message has been written. The guardian keeps them and
 * watches dtrace by a pidfd: other children of dtrace may hold the socket open.
 */
#include "inject/guardian.h"
#include "inject/inject_impl.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RESCUES = 64 };

struct dt_guardian { pid_t pid; int sock, pidfd; struct dt_inject_rescue *rescue; };

enum kind { ADD, REMOVE, END };
enum { MAX_ITEMS = 1 << 22, RETRY_MS = 2, RETRY_MAX_MS = 500, END_MS = 2000 };
#define GIVE_UP_NS 60000000000ull	/* another tracer may hold a process that long */

struct message {
	uint32_t kind, pid;
	uint32_t nsites, nfiles, nranges, pad;
	uint64_t process;
};

/* ---- in dtrace ---- */

static int send_all(int sock, const void *bytes, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = send(sock, (const char *)bytes + done, len - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int dt_guardian_add(struct dt_guardian *g, uint32_t pid, const struct dt_inject_undo *u)
{
	struct message m = { .kind = ADD, .pid = pid, .nsites = u->nsites, .nfiles = u->nfiles,
		.nranges = u->nranges, .process = u->process };
	int err;

	if (u->nsites > MAX_ITEMS || u->nfiles > MAX_ITEMS || u->nranges > MAX_ITEMS)
		return -E2BIG;
	err = send_all(g->sock, &m, sizeof(m));
	if (err == 0)
		err = send_all(g->sock, u->site, u->nsites * sizeof(*u->site));
	if (err == 0)
		err = send_all(g->sock, u->file, u->nfiles * sizeof(*u->file));
	return err != 0 ? err : send_all(g->sock, u->range, u->nranges * sizeof(*u->range));
}

int dt_guardian_remove(struct dt_guardian *g, uint32_t pid)
{
	struct message m = { .kind = REMOVE, .pid = pid };

	return send_all(g->sock, &m, sizeof(m));
}

uint32_t dt_guardian_pid(const struct dt_guardian *g) { return (uint32_t)g->pid; }

static bool must_be_allowed(void)
{
	char *text;
	size_t len;
	bool must;

	if (dt_file_read("/proc/sys/kernel/yama/ptrace_scope", 16, &text, &len) != 0)
		return false;
	must = atoi(text) == 1;
	free(text);
	return must;
}

void dt_guardian_allow(struct dt_guardian *g, struct dt_inject *in, bool allow)
{
	if (must_be_allowed())
		(void)dt_inject_call(in, SYS_prctl,
		    (uint64_t[6]){ PR_SET_PTRACER, allow ? (uint64_t)g->pid : 0 });
}

void dt_guardian_watch(struct dt_guardian *g, struct dt_inject *in)
{
	for (int i = 0; i < RESCUES && in->rescue == NULL; i++)
		if (g->rescue[i].pid == 0) {
			in->rescue = &g->rescue[i];
			*in->rescue = (struct dt_inject_rescue){ .pid = in->pid };
		}
	in->ptracer = must_be_allowed() ? g->pid : 0;
}

void dt_guardian_end(struct dt_guardian *g)
{
	struct message m = { .kind = END };
	struct pollfd f;

	if (g == NULL)
		return;
	f = (struct pollfd){ .fd = g->pidfd, .events = POLLIN };
	if (send_all(g->sock, &m, sizeof(m)) != 0 || poll(&f, 1, END_MS) <= 0)
		(void)kill(g->pid, SIGKILL);
	while (waitpid(g->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	close(g->sock);
	close(g->pidfd);
	munmap(g->rescue, RESCUES * sizeof(*g->rescue));
	free(g);
}

/* ---- in the guardian ---- */

struct target {
	uint32_t pid;
	int pidfd;
	struct dt_inject_site *site;
	struct dt_inject_file *file;
	struct dt_inject_range *range;
	uint32_t nsites, nfiles, nranges;
	uint64_t process;
	bool done;
};

struct watch {
	int sock, parent, data;		/* parent: pidfd of dtrace */
	struct dt_inject_rescue *rescue;
	struct target *target;
	uint32_t n;
};

static bool ready(int fd, int ms)
{
	struct pollfd f = { .fd = fd, .events = POLLIN };

	return poll(&f, 1, ms) > 0;
}

/* False: dtrace has ended, or closed the socket, before all of it was there. */
static bool receive(struct watch *w, void *to, size_t len)
{
	for (size_t got = 0; got < len;) {
		struct pollfd f[2] = {
			{ .fd = w->sock, .events = POLLIN }, { .fd = w->parent, .events = POLLIN },
		};
		ssize_t n;

		if (poll(f, 2, -1) < 0)
			continue;
		if (f[0].revents == 0 && !ready(w->sock, 0))
			return false;
		n = recv(w->sock, (char *)to + got, len - got, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return false;
		got += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Appends n items to an array. */
static bool receive_items(struct watch *w, void **array, uint32_t *have, uint32_t n, size_t size)
{
	void *grown = realloc(*array, ((size_t)*have + n + 1) * size);

	if (grown == NULL)
		return false;
	*array = grown;
	if (!receive(w, (char *)grown + *have * size, n * size))
		return false;
	*have += n;
	return true;
}

static void free_items(struct target *t)
{
	free(t->site);
	free(t->file);
	free(t->range);
}

static struct target *target_of(struct watch *w, uint32_t pid)
{
	struct target *grown;

	for (uint32_t i = 0; i < w->n; i++)
		if (w->target[i].pid == pid && !w->target[i].done)
			return &w->target[i];
	grown = realloc(w->target, (w->n + 1) * sizeof(*grown));
	if (grown == NULL)
		return NULL;
	w->target = grown;
	grown[w->n] = (struct target){ .pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) };
	return &grown[w->n++];
}

/* All that is changed in a process now, in the place of what was known of it. */
static bool add(struct watch *w, const struct message *m)
{
	struct target *t = target_of(w, m->pid), new = { .pid = m->pid, .process = m->process };
	bool whole = t != NULL &&
	    receive_items(w, (void **)&new.site, &new.nsites, m->nsites, sizeof(*new.site)) &&
	    receive_items(w, (void **)&new.file, &new.nfiles, m->nfiles, sizeof(*new.file)) &&
	    receive_items(w, (void **)&new.range, &new.nranges, m->nranges, sizeof(*new.range));

	if (!whole) {
		free_items(&new);
		return false;
	}
	new.pidfd = t->pidfd;
	free_items(t);
	*t = new;
	return true;
}

static void forget(struct target *t)
{
	if (t->pidfd >= 0)
		close(t->pidfd);
	free_items(t);
	*t = (struct target){ .pid = t->pid, .pidfd = -1, .done = true };
}

static void remove_target(struct watch *w, uint32_t pid)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->target[i].pid == pid && !w->target[i].done)
			forget(&w->target[i]);
}

/* Takes messages until dtrace has ended (true) or said that all is well. */
static bool listen_to(struct watch *w)
{
	struct message m;

	while (receive(w, &m, sizeof(m))) {
		if (m.kind == END)
			return false;
		if (m.kind == REMOVE)
			remove_target(w, m.pid);
		else if (!add(w, &m))
			break;
	}
	return true;
}

/* True: nothing is left to be done for it. What a thread does not leave stays mapped, which does no harm. */
static bool restore(struct target *t)
{
	struct dt_inject_undo u = { .site = t->site, .file = t->file, .range = t->range, .nsites = t->nsites,
		.nfiles = t->nfiles, .nranges = t->nranges, .process = t->process };
	struct dt_inject *in;
	char msg[256];
	int err;

	if (t->pidfd < 0 || ready(t->pidfd, 0))
		return true;
	err = dt_inject_open(&in, t->pid, false, msg, sizeof(msg));
	if (err == 0) {
		err = ready(t->pidfd, 0) ? -ESRCH : dt_inject_restore(in, &u, NULL, msg, sizeof(msg));
		dt_inject_close(in);
	}
	return err == 0 || err == 1 || err == -ESRCH;
}

/*
 * First of all: these threads run in circles. A process that was released has no page of ours. How many are
 * to be tried again: the kernel lets go of what a process traces after it has closed its files.
 */
static uint32_t rescue_all(struct watch *w)
{
	struct dt_inject *in;
	uint32_t left = 0;
	char msg[256];

	for (int i = 0; i < RESCUES; i++) {
		struct dt_inject_rescue *lost = &w->rescue[i];
		int err;

		if (lost->pid == 0 || lost->stub == 0)
			continue;
		err = dt_inject_open(&in, (uint32_t)lost->pid, false, msg, sizeof(msg));
		if (err == 0) {
			err = dt_inject_rescue(in, lost);
			dt_inject_close(in);
		}
		if (err == 0 || err == -ESRCH)
			lost->pid = 0;
		else
			left++;
	}
	return left;
}

/* What cannot be restored at once, as another tracer has it, is tried again; its trampolines do nothing. */
static void restore_all(struct watch *w)
{
	uint64_t until = dt_clock_ns() + GIVE_UP_NS;
	uint32_t off = 0, left = 1;

	if (w->data >= 0)		/* not mapped: whoever shares the memory may have made it smaller */
		(void)!pwrite(w->data, &off, sizeof(off), offsetof(struct dt_agent, enabled));
	for (long ms = RETRY_MS; left > 0 && dt_clock_ns() < until; ms = ms < RETRY_MAX_MS ? ms * 2 : ms) {
		left = rescue_all(w);
		for (uint32_t i = 0; i < w->n; i++)
			if (!w->target[i].done && !(w->target[i].done = restore(&w->target[i])))
				left++;
		if (left > 0)
			nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
	}
}

/* The descriptors become 3, 4 and 5; no other is kept. */
static bool leave(struct watch *w)
{
	int from[3] = { w->sock, w->parent, w->data }, null = dt_child_null();

	setsid();
	prctl(PR_SET_NAME, "dtrace-guardian", 0, 0, 0);
	for (int i = 0; i < 3; i++)
		if (from[i] >= 0 && (from[i] = fcntl(from[i], F_DUPFD, 8)) < 0)
			return false;
	for (int i = 0; i < 3; i++)
		if (null < 0 || dup2(null, i) < 0)
			return false;
	for (int i = 0; i < 3; i++)
		if (from[i] >= 0 && dup2(from[i], 3 + i) < 0)
			return false;
	if (w->data < 0)
		close(5);
	*w = (struct watch){ .sock = 3, .parent = 4, .data = w->data >= 0 ? 5 : -1, .rescue = w->rescue };
	return close_range(6, ~0u, 0) == 0;
}

static _Noreturn void guard(struct dt_inject_rescue *rescue, int sock, int parent, int data)
{
	struct watch w = { .sock = sock, .parent = parent, .data = data, .rescue = rescue };

	if (leave(&w) && listen_to(&w))
		restore_all(&w);
	_exit(0);
}

/* ---- starting it ---- */

static int start(struct dt_guardian *g, int data_fd)
{
	int ends[2], self = (int)syscall(SYS_pidfd_open, getpid(), 0), err = 0;
	sigset_t all, old;

	if (self < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		err = -errno;
		close(self);
		return err;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	g->pid = fork();		/* not clone(): it allocates memory */
	if (g->pid == 0)
		guard(g->rescue, ends[1], self, data_fd);
	err = g->pid < 0 ? -errno : 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	close(self);
	g->sock = ends[0];
	g->pidfd = err == 0 ? (int)syscall(SYS_pidfd_open, g->pid, 0) : -1;
	if (err != 0)
		close(g->sock);
	return err;
}

int dt_guardian_start(struct dt_guardian **out, int data_fd)
{
	struct dt_guardian *g = calloc(1, sizeof(*g));
	int err = g == NULL ? -ENOMEM : 0;

	if (err == 0) {
		g->rescue = mmap(NULL, RESCUES * sizeof(*g->rescue), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		err = g->rescue == MAP_FAILED ? -errno : start(g, data_fd);
		if (err != 0 && g->rescue != MAP_FAILED)
			munmap(g->rescue, RESCUES * sizeof(*g->rescue));
	}
	if (err != 0)
		free(g);
	*out = err == 0 ? g : NULL;
	return err;
}
