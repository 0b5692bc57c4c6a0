/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a process: is it one whose threads can be stopped and whose memory can be changed? */
#include "inject/inject.h"
#include "inject/inject_impl.h"
#include "machine/machine.h"
#include "symbol/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(char *msg, size_t len, int err, const char *why)
{
	snprintf(msg, len, "%s", why);
	return err;
}

/*
 * The kernel's words for the program have its word size: read as 64 bits, the types of a 32-bit program (x32
 * too) are no small numbers.
 */
static bool same_size(pid_t pid)
{
	struct dt_auxv aux[128];
	size_t n = dt_auxv_read((uint32_t)pid, aux, sizeof(aux) / sizeof(aux[0]));

	for (size_t i = 0; i < n; i++) {
		if (aux[i].type == 0)
			return i > 0;
		if (aux[i].type > 1000)
			return false;
	}
	return false;
}

static int check_status(struct dt_inject *in, struct dt_inject_status *s, char *msg, size_t len)
{
	if (dt_inject_status(in->pid, in->pid, s) != 0)
		return refuse(msg, len, -ESRCH, "there is no such process");
	if (s->state == 'X')
		return refuse(msg, len, -ESRCH, "it has ended");
	if (s->state == 'Z')
		return refuse(msg, len, -ESRCH, "it has ended (a zombie, or its first thread has ended)");
	if (s->kernel)
		return refuse(msg, len, -ENOEXEC, "it is a thread of the kernel, which has no program");
	if (s->tracer != 0 && !in->held)
		return dt_inject_busy(s->tracer, msg, len);
	if (s->seccomp == 1)
		return refuse(msg, len, -EPERM,
		    "it runs in seccomp's strict mode, where any system call that is added kills it");
	return 0;
}

/* Opening its memory asks the same of the kernel as attaching would, and stops nothing. */
static int check(struct dt_inject *in, char *msg, size_t len)
{
	struct dt_inject_status s;
	char path[64];
	int err;

	if (dt_machine_here()->inject.clock == NULL)
		return refuse(msg, len, -ENOTSUP, "processes of this machine cannot be changed");
	in->fd = (int)syscall(SYS_pidfd_open, in->pid, 0);
	if (in->fd < 0)
		return refuse(msg, len, errno == EINVAL || errno == ENOENT ? -EINVAL : -errno,
		    errno == ESRCH ? "there is no such process" :
		    errno == EINVAL || errno == ENOENT ? "it is a thread, not a process" : strerror(errno));
	err = check_status(in, &s, msg, len);
	if (err != 0)
		return err;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)in->pid);
	in->mem = open(path, O_RDWR | O_CLOEXEC);
	if (in->mem < 0)
		return dt_inject_explain(in->pid, -errno, msg, len);
	if (!same_size(in->pid))
		return refuse(msg, len, -ENOEXEC, "it is a 32-bit program, which cannot be changed");
	if (syscall(SYS_kcmp, in->pid, (pid_t)s.parent, KCMP_VM, 0, 0) == 0)
		return refuse(msg, len, -EAGAIN,
		    "it has its parent's memory until it executes a program (vfork): try again");
	in->self = s.self;
	in->child = s.parent == (uint32_t)getpid();
	in->filtered = s.seccomp == 2;
	in->filters = s.filters;
	in->mixed = dt_inject_filters_differ(in->pid);
	dt_inject_find_vdso(in);	/* now, not while it is stopped */
	/* all of this was read by number: it is this process's if that still is its number */
	return poll(&(struct pollfd){ .fd = in->fd, .events = POLLIN }, 1, 0) > 0 ?
	    refuse(msg, len, -ESRCH, "it has ended") : 0;
}

int dt_inject_open(struct dt_inject **out, uint32_t pid, bool held, char *msg, size_t len)
{
	struct dt_inject *in = calloc(1, sizeof(*in));
	int err;

	*out = NULL;
	if (in == NULL)
		return refuse(msg, len, -ENOMEM, strerror(ENOMEM));
	*in = (struct dt_inject){ .pid = (pid_t)pid, .fd = -1, .mem = -1, .held = held };
	if (pid == 0 || pid > INT32_MAX)
		err = refuse(msg, len, -ESRCH, "there is no such process");
	else if (pid == (uint32_t)getpid())
		err = refuse(msg, len, -EINVAL, "it is dtrace itself");
	else
		err = check(in, msg, len);
	if (err != 0) {
		dt_inject_close(in);
		return err;
	}
	*out = in;
	return 0;
}

/* The page of a process that was not restored; one that has ended has none. */
static void drop_stub(struct dt_inject *in)
{
	char msg[256];

	if (in->stub == 0 || dt_inject_stop(in, msg, sizeof(msg)) != 0)
		return;
	dt_inject_drop_stub(in);
	dt_inject_resume(in);
}

void dt_inject_close(struct dt_inject *in)
{
	if (in == NULL)
		return;
	drop_stub(in);
	dt_inject_resume(in);
	if (in->rescue != NULL)
		in->rescue->pid = 0;
	if (in->mem >= 0)
		close(in->mem);
	if (in->fd >= 0)
		close(in->fd);
	free(in->thread);
	free(in->noted);
	dt_inject_free_filter(in->filter);
	free(in);
}

uint32_t dt_inject_pid(const struct dt_inject *in) { return (uint32_t)in->pid; }
void dt_inject_inherit(struct dt_inject *child, const struct dt_inject *parent)
{
	child->stub = parent->stub;
}

bool dt_inject_same_numbers(const struct dt_inject *in) { return in->self == (uint32_t)in->pid; }
int dt_inject_pidfd(const struct dt_inject *in) { return in->fd; }
uint32_t dt_inject_nthreads(const struct dt_inject *in) { return in->n; }
