/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that a traced process executes, and with -x follow its children. A thread that is about to make
 * one has said so and waits; it is traced by ptrace(2) for the system call, and what comes of that stands
 * still until its probes are live. A new program has nothing of ours: it is attached to like any process. A
 * child by fork() has all of its parent's memory but the page of struct dt_agent_process, which it gets here.
 */
#include "inproc/births.h"

#include "agent/agent_read.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CHECK_NS 10000000ull

/* ---- is it true? ---- */

/* The parent of a process; 0: it has ended. */
static uint32_t parent_of(uint32_t pid)
{
	char path[64], text[512], *end;
	unsigned parent = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	end = strrchr(text, ')');
	return end != NULL && sscanf(end + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

static bool has_thread(uint32_t pid, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, tid);
	return access(path, F_OK) == 0;
}

/* The target that speaks; NULL: what it says cannot be. */
static struct inproc_target *speaker(struct inproc *p, const struct dt_agent_news *said)
{
	struct inproc_target *t = dt_inproc_target(p, said->traced);

	if (t == NULL || t->ended || !dt_inject_same_numbers(t->inject) || !has_thread(said->pid, said->tid))
		return NULL;
	/* a child by vfork() runs in the memory of the one that speaks */
	return said->pid == t->pid || (p->follow && parent_of(said->pid) == t->pid) ? t : NULL;
}

/* ---- programs ---- */

/* A program that gets rights by being executed does not get them while it is traced by a user without. */
static bool gains_rights(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	return (st.st_mode & (S_ISUID | S_ISGID)) != 0 || getxattr(path, "security.capability", NULL, 0) > 0;
}

/* The path that the process is about to give to the kernel; "" if it cannot be read. */
static void read_path(const struct inproc_target *t, uint64_t at, char *to, size_t size)
{
	enum { PIECE = 16 };		/* it may end before memory that is not there */

	memset(to, 0, size);
	for (size_t n = 0; n + PIECE < size; n += PIECE)
		if (dt_inject_read(t->inject, at + n, to + n, PIECE) != 0 ||
		    memchr(to + n, '\0', PIECE) != NULL)
			break;
}

/* The file as seen from the process. It is looked at and not opened. */
static bool may_be_held(const struct inproc_target *t, const struct dt_agent_news *said)
{
	char name[4096], path[4200];

	if (geteuid() == 0)
		return true;
	read_path(t, said->path, name, sizeof(name));
	if (name[0] == '/')
		snprintf(path, sizeof(path), "/proc/%u/root%s", said->pid, name);
	else if (said->dir == AT_FDCWD)
		snprintf(path, sizeof(path), "/proc/%u/cwd/%s", said->pid, name);
	else
		snprintf(path, sizeof(path), "/proc/%u/fd/%d/%s", said->pid, said->dir, name);
	if (name[0] == '\0')		/* the descriptor itself (AT_EMPTY_PATH) */
		snprintf(path, sizeof(path), "/proc/%u/fd/%d", said->pid, said->dir);
	return !gains_rights(path);
}

/* The process runs something else: nothing of what was noted of it is there any more. 0 or -errno */
static int meet_program(struct inproc *p, uint32_t pid, uint32_t root, bool child)
{
	struct inproc_target *t = dt_inproc_target(p, pid);
	char msg[512] = "";
	int err = 0;

	pthread_mutex_lock(&p->tracing);
	if (t != NULL)
		dt_inproc_forget_target(p, t);
	t = dt_inproc_new_target(p, pid, &err, msg, sizeof(msg));
	if (t != NULL) {
		dt_guardian_watch(p->guardian, t->inject);
		t->root = root;
		t->child = child;
		err = dt_inproc_attach(p, pid, inproc_newest(p)->nprogs, msg, sizeof(msg));
		if (err != 0)
			dt_inproc_forget_target(p, t);
	}
	pthread_mutex_unlock(&p->tracing);
	return err;
}

void dt_inproc_take_exec(struct inproc *p, const struct dt_agent_news *said, const struct inproc_answer *a,
    dt_arrived_f *f, void *ctx)
{
	struct inproc_target *t = speaker(p, said);
	uint32_t root = t != NULL ? t->root : 0;
	bool child = t != NULL && (t->child || said->pid != t->pid);
	struct dt_inject_catch c;
	int err;

	if (t == NULL || !may_be_held(t, said))
		return;
	pthread_mutex_lock(&p->tracing);
	err = dt_inject_catch(&c, said->pid, said->tid);
	a->go(a->ctx);
	if (err == 0)
		err = dt_inject_until_exec(&c);
	pthread_mutex_unlock(&p->tracing);
	if (err != 0)
		return;
	if (meet_program(p, said->pid, root, child) == 0)
		dt_inproc_look_at(p, said->pid, f, ctx);
	dt_inject_let_go(said->pid);
}

/* ---- children ---- */

static void *copy_of(const void *array, uint32_t n, size_t size)
{
	void *copy = malloc(n * size + 1);

	if (copy != NULL && n > 0)
		memcpy(copy, array, n * size);
	return copy;
}

/* What is changed in the parent is changed in its child. */
static int inherit(struct inproc_target *to, const struct inproc_target *from)
{
	struct inproc_target own = *to;

	*to = *from;
	to->pid = own.pid;
	to->inject = own.inject;
	to->ended = to->fresh = false;
	to->child = true;
	to->site = copy_of(from->site, from->nsites, sizeof(*to->site));
	to->file = copy_of(from->file, from->nfiles, sizeof(*to->file));
	to->range = copy_of(from->range, from->nranges, sizeof(*to->range));
	to->sem = copy_of(from->sem, from->nsems, sizeof(*to->sem));
	to->known = copy_of(from->known, from->nknown, sizeof(*to->known));
	to->scanned = copy_of(from->scanned, from->nscanned, sizeof(*to->scanned));
	to->island = copy_of(from->island, from->nislands, sizeof(*to->island));
	return to->site != NULL && to->file != NULL && to->range != NULL && to->sem != NULL &&
	    to->known != NULL && to->scanned != NULL && to->island != NULL ? 0 : -ENOMEM;
}

/* Stands still. The page that the fork has left empty says who it is: from then on its places fire. */
static int write_page(struct inproc *p, struct inproc_target *t, struct dt_agent_process *page)
{
	struct dt_inject_undo undo = dt_inproc_undo(t);
	char why[256];
	int err;

	page->enabled = 1;
	page->pid = page->self = t->pid;
	dt_inproc_about(t->pid, &page->about);
	err = dt_guardian_add(p->guardian, t->pid, &undo);
	if (err == 0)
		err = dt_inject_stop(t->inject, why, sizeof(why));
	if (err != 0)
		return err;
	p->registered = p->registered && dt_inject_register(t->inject);
	err = dt_inject_write(t->inject, t->process, page, sizeof(*page));
	dt_inject_resume(t->inject);
	return err;
}

static int adopt(struct inproc *p, struct inproc_target *parent, uint32_t pid)
{
	struct dt_agent_process page;
	struct inproc_target *t;
	char msg[512];
	int err = dt_inject_read(parent->inject, parent->process, &page, sizeof(page));

	if (err != 0)
		return err;
	t = dt_inproc_new_target(p, pid, &err, msg, sizeof(msg));
	if (t == NULL)
		return err;
	err = inherit(t, parent);
	dt_inject_inherit(t->inject, parent->inject);
	dt_guardian_watch(p->guardian, t->inject);
	if (err == 0)
		err = write_page(p, t, &page);
	if (err != 0)
		dt_inproc_forget_target(p, t);
	return err;
}

static void count_followed(struct inproc *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ntargets; i++)
		n += p->target[i]->child && !p->target[i]->ended;
	__atomic_store_n(&p->control->followed, n, __ATOMIC_RELAXED);
}

void dt_inproc_take_fork(struct inproc *p, const struct dt_agent_news *said, const struct inproc_answer *a)
{
	struct inproc_target *t = speaker(p, said);
	struct dt_inject_catch c;
	int err;

	if (t == NULL || said->pid != t->pid || !p->follow)
		return;
	pthread_mutex_lock(&p->tracing);
	err = dt_inject_catch(&c, said->pid, said->tid);
	a->go(a->ctx);
	if (err == 0)
		err = dt_inject_until_fork(&c);
	if (err == 0) {
		(void)adopt(p, t, (uint32_t)c.child);
		dt_inject_let_go((uint32_t)c.child);
		dt_inject_let_go((uint32_t)c.tid);
	}
	pthread_mutex_unlock(&p->tracing);
	count_followed(p);
}

/* A child that there was before. roots are numbered as those of -p and -c. */
void dt_inproc_follow(struct dt_engine *e, uint32_t pid, uint32_t root)
{
	struct inproc *p = inproc_of(e);

	if (p->guardian == NULL || root == 0 || root > p->nnamed || dt_inproc_target(p, pid) != NULL)
		return;
	(void)meet_program(p, pid, p->named[root - 1], true);
	count_followed(p);
}

/* ---- now and then ---- */

static bool has_ended(const struct inproc_target *t)
{
	struct pollfd f = { .fd = dt_inject_pidfd(t->inject), .events = POLLIN };

	return poll(&f, 1, 0) > 0;
}

static void forget_child(struct inproc *p, struct inproc_target *t)
{
	dt_agent_forget(p->agent, t->pid);
	p->any_ended = true;
	dt_inproc_forget_target(p, t);
}

void dt_inproc_check(struct inproc *p, dt_arrived_f *f, void *ctx)
{
	uint64_t now = dt_clock_ns();

	if (now - p->checked < CHECK_NS)
		return;
	p->checked = now;
	for (uint32_t i = p->ntargets; i-- > 0;) {
		struct inproc_target *t = p->target[i];
		uint32_t pid = t->pid, root = t->root;
		bool child = t->child;

		if (t->ended || !dt_inject_ended(t->inject))
			continue;
		if (has_ended(t)) {
			if (child)
				forget_child(p, t);
		} else if (meet_program(p, pid, root, child) == 0) {
			p->late++;	/* it executes another program, and has not waited for us */
			dt_inproc_look_at(p, pid, f, ctx);
		} else {		/* it is about to end, and has no memory any more */
			dt_agent_forget(p->agent, pid);
			p->any_ended = true;
		}
	}
	count_followed(p);
}
