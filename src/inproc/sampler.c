/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile-n without the kernel's programs: samples of the processes of -p and -c come from clocks.c or
 * interrupts.c, in a thread of their own, and the clause runs here in the name of the sampled thread. What
 * a process says of itself (its names, its memory) is untrusted.
 */
#include "inproc/sampler.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STATUS_MAX = 1 << 16, NAMES_MAX = 4096 };

/* ---- who ---- */

/* "Uid: real effective saved fs"; the parent tells whether we have started it. */
static void read_status(struct inproc_sampled *m)
{
	char path[40], *text, *line;
	uint32_t parent = 0;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%u/status", m->pid);
	if (dt_file_read(path, STATUS_MAX, &text, &len) != 0)
		return;
	if ((line = strstr(text, "\nUid:")) != NULL)
		(void)sscanf(line, "\nUid: %u", &m->uid);
	if ((line = strstr(text, "\nGid:")) != NULL)
		(void)sscanf(line, "\nGid: %u", &m->gid);
	if ((line = strstr(text, "\nPPid:")) != NULL)
		(void)sscanf(line, "\nPPid: %u", &parent);
	m->child = parent == (uint32_t)getpid();
	free(text);
}

int dt_sampler_threads(uint32_t pid, int (*f)(void *ctx, uint32_t pid, uint32_t tid), void *ctx)
{
	struct dirent *e;
	char path[40];
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (dir == NULL)
		return -errno;
	while (err == 0 && (e = readdir(dir)) != NULL)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			err = f(ctx, pid, (uint32_t)strtoul(e->d_name, NULL, 10));
	closedir(dir);
	return err;
}

/* ---- names ---- */

static struct inproc_thread_name *find_name(struct inproc_sampler *s, uint32_t tid)
{
	struct inproc_thread_name *more;

	for (uint32_t i = 0; i < s->nnames; i++)
		if (s->name[i].tid == tid)
			return &s->name[i];
	if (s->nnames == NAMES_MAX)
		s->nnames = 0;		/* threads come and go: names are read again */
	more = realloc(s->name, (s->nnames + 1) * sizeof(*more));
	if (more == NULL)
		return NULL;
	s->name = more;
	more[s->nnames] = (struct inproc_thread_name){ .tid = tid };
	return &more[s->nnames++];
}

void dt_sampler_rename(struct inproc_sampler *s, uint32_t tid, const char *name)
{
	struct inproc_thread_name *n = find_name(s, tid);

	if (n != NULL)
		snprintf(n->name, sizeof(n->name), "%s", name);
}

/* A thread that has ended has the name of its process, if that is still there. */
static void read_name(struct inproc_thread_name *n, uint32_t pid)
{
	char path[60], *text;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, n->tid);
	err = dt_file_read(path, 64, &text, &len);
	if (err != 0) {
		snprintf(path, sizeof(path), "/proc/%u/comm", pid);
		err = dt_file_read(path, 64, &text, &len);
	}
	if (err != 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(n->name, sizeof(n->name), "%s", text);
	free(text);
}

/* ---- samples ---- */

struct dt_agent_sample *dt_sampler_begin(struct inproc_sampler *s, uint32_t pid, uint32_t tid)
{
	const struct inproc_sampled *m = NULL;
	struct inproc_thread_name *n;

	for (uint32_t i = 0; i < s->nprocesses && m == NULL; i++)
		if (s->process[i].pid == pid)
			m = &s->process[i];
	if (m == NULL)
		return NULL;
	s->as.about = m->about;
	s->sample = (struct dt_agent_sample){ .pid = pid, .tid = tid, .uid = m->uid, .gid = m->gid };
	n = find_name(s, tid);
	if (n != NULL && n->name[0] == '\0')
		read_name(n, pid);
	if (n != NULL)
		memcpy(s->sample.name, n->name, sizeof(s->sample.name));
	return &s->sample;
}

/* Not after exit(), or when a buffer is full. */
void dt_sampler_fire(struct inproc_sampler *s, const struct inproc_rate *rate, const uint64_t *regs)
{
	struct dt_control *c = s->p->control;

	if (__atomic_load_n(&c->stopped, __ATOMIC_RELAXED))
		return;
	dt_inproc_run_as(s->p, &s->as, rate->hook, regs);
	if (__atomic_load_n(&c->exited, __ATOMIC_RELAXED))
		(void)!write(s->p->event, &(uint64_t){ 1 }, sizeof(uint64_t));
}

void dt_sampler_lose(struct inproc_sampler *s, uint64_t n)
{
	__atomic_fetch_add(&s->p->samples_lost, n, __ATOMIC_RELAXED);
}

uint64_t dt_inproc_samples_lost(const struct inproc *p)
{
	return __atomic_load_n(&p->samples_lost, __ATOMIC_RELAXED);
}

/* ---- the life of it ---- */

static int add_rates(struct inproc_sampler *s)
{
	uint32_t n = inproc_newest(s->p)->nprogs;

	s->rate = calloc(n + 1u, sizeof(*s->rate));
	if (s->rate == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (s->p->attach[i].kind == DT_HOOK_PERF)
			s->rate[s->nrates++] = (struct inproc_rate){ i, s->p->attach[i].interval };
	return 0;
}

static int add_processes(struct inproc_sampler *s)
{
	s->process = calloc(s->p->nnamed + 1u, sizeof(*s->process));
	if (s->process == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->p->nnamed; i++) {
		s->process[i].pid = s->p->named[i];
		read_status(&s->process[i]);
		dt_inproc_about(s->process[i].pid, &s->process[i].about);
	}
	s->nprocesses = s->p->nnamed;
	return 0;
}

static void free_sampler(struct inproc_sampler *s)
{
	dt_clocks_close(s->clocks);
	if (s->stop >= 0)
		close(s->stop);
	free(s->rate);
	free(s->process);
	free(s->name);
	free(s);
}

static bool any_profile(const struct inproc *p)
{
	for (uint32_t i = 0; i < inproc_newest(p)->nprogs; i++)
		if (p->attach[i].kind == DT_HOOK_PERF)
			return true;
	return false;
}

int dt_inproc_open_sampler(struct inproc *p, char *msg, size_t len)
{
	struct inproc_sampler *s;
	int err;

	if (!any_profile(p))
		return 0;
	if (p->nnamed == 0) {
		snprintf(msg, len, "profile probes of the engine process take samples of processes that are "
		    "named with -p or -c");
		return -ENOTSUP;
	}
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return dt_inproc_fail(msg, len, -ENOMEM, "cannot prepare profile probes");
	s->p = p;
	s->as = p->self;
	s->as.sample = &s->sample;
	s->stop = eventfd(0, EFD_CLOEXEC);
	err = s->stop < 0 ? -errno : add_rates(s);
	if (err == 0)
		err = add_processes(s);
	if (err != 0)
		dt_inproc_fail(msg, len, err, "cannot prepare profile probes");
	if (err == 0 && dt_clocks_open(s) != 0)
		err = dt_interrupts_possible(s, msg, len);
	if (err != 0) {
		free_sampler(s);
		return err;
	}
	p->sampler = s;
	return 0;
}

static void *sampler_main(void *arg)
{
	struct inproc_sampler *s = arg;

	s->as.code_size = s->p->self.code_size;
	if (s->clocks != NULL)
		dt_clocks_run(s);
	else
		dt_interrupts_run(s);
	return NULL;
}

int dt_inproc_start_sampler(struct inproc *p)
{
	struct inproc_sampler *s = p->sampler;
	sigset_t all, old;
	int err;

	if (s == NULL)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are for the caller's threads */
	err = pthread_create(&s->thread, NULL, sampler_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->running = err == 0;
	return -err;
}

void dt_inproc_close_sampler(struct inproc *p)
{
	struct inproc_sampler *s = p->sampler;

	if (s == NULL)
		return;
	if (s->running) {
		(void)!write(s->stop, &(uint64_t){ 1 }, sizeof(uint64_t));
		pthread_join(s->thread, NULL);
	}
	free_sampler(s);
	p->sampler = NULL;
}
