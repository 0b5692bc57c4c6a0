/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel's structs say of a process, for a program inside of it: asked of the kernel by system calls
 * that change nothing, or known since dtrace attached (struct dt_agent_about).
 */
#include "agent/agent_impl.h"
#include "agent/helpers.h"
#include "engine/plan.h"

#include <fcntl.h>

enum { THREAD_CPUTIME = 3, PATH_ROOM = 4096 };

struct time { int64_t sec, nsec; };

/* ---- of a sample: another process is asked about, by its files in /proc ---- */

static char *put_number(char *to, uint32_t n)
{
	char digits[10];
	uint32_t len = 0;

	do {
		digits[len++] = (char)('0' + n % 10);
	} while ((n /= 10));
	while (len > 0)
		*to++ = digits[--len];
	return to;
}

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* The first number of /proc/PID/task/TID/schedstat; 0: the thread has ended. */
static uint64_t sampled_time(const struct dt_agent_sample *s)
{
	char path[64], text[32] = { 0 }, *end = path;
	uint64_t ns = 0;
	int64_t fd;

	end = put_number(put_text(end, "/proc/"), s->pid);
	end = put_text(put_number(put_text(end, "/task/"), s->tid), "/schedstat");
	*end = 0;
	fd = dt_raw_syscall(__NR_openat, (uint64_t)AT_FDCWD, (uint64_t)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return 0;
	(void)dt_raw_syscall(__NR_read, (uint64_t)fd, (uint64_t)text, sizeof(text) - 1, 0, 0, 0);
	(void)dt_raw_syscall(__NR_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	for (const char *at = text; *at >= '0' && *at <= '9'; at++)
		ns = 10 * ns + (uint64_t)(*at - '0');
	return ns;
}

/* As getcwd() has it: the bytes, with a NUL. */
static int64_t sampled_directory(const struct dt_agent_sample *s, uint8_t *to, uint64_t n)
{
	char path[64], *end = put_text(put_number(put_text(path, "/proc/"), s->pid), "/cwd");
	int64_t len;

	*end = 0;
	len = dt_raw_syscall(__NR_readlinkat, (uint64_t)AT_FDCWD, (uint64_t)path, (uint64_t)to, n, 0, 0);
	return len < 0 ? len : len + 1;
}

/* ---- of the process that the program is in ---- */

static uint64_t thread_time(const struct dt_agent_process *p)
{
	struct time t = { 0, 0 };

	if (p->sample)
		return sampled_time(p->sample);
	if (p->no_calls)
		return 0;
	dt_raw_syscall(__NR_clock_gettime, THREAD_CPUTIME, (uint64_t)&t, 0, 0, 0, 0);
	return (uint64_t)t.sec * 1000000000 + (uint64_t)t.nsec;
}

/* Where the process has other numbers than dtrace gives it, its parent was found when it was attached to. */
static uint32_t parent(const struct dt_agent_process *p)
{
	return p->pid == p->self && !p->no_calls && !p->sample ?
	    (uint32_t)dt_raw_syscall(__NR_getppid, 0, 0, 0, 0, 0, 0) : p->about.ancestor[0];
}

static bool descends_from(const struct dt_firing *f, uint32_t pid)
{
	const uint32_t *ancestor = f->process->about.ancestor;

	if (pid == f->pid || pid == parent(f->process))
		return true;
	for (uint32_t i = 0; i < DT_AGENT_ANCESTORS && ancestor[i]; i++) {
		if (ancestor[i] == pid)
			return true;
	}
	return false;
}

/* The bytes written, with the NUL; n is not 0. The path is cut if it is longer; "" if there is none. */
static uint64_t directory(const struct dt_agent_process *p, uint8_t *to, uint64_t n)
{
	uint8_t path[PATH_ROOM];
	int64_t len = p->sample ? sampled_directory(p->sample, path, sizeof(path)) : p->no_calls ? 0 :
	    dt_raw_syscall(__NR_getcwd, (uint64_t)path, sizeof(path), 0, 0, 0, 0);

	len = len <= 0 ? 0 : len - 1;
	if ((uint64_t)len >= n)
		len = (int64_t)n - 1;
	dt_agent_copy(to, path, (uint64_t)len);
	to[len] = 0;
	return (uint64_t)len + 1;
}

/* a: enum dt_about; b, c: as it says */
uint64_t dt_agent_process(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)
{
	(void)d, (void)e;
	switch ((enum dt_about)a) {
	case DT_ABOUT_PARENT: return parent(f->process);
	case DT_ABOUT_PROGENY: return descends_from(f, (uint32_t)b);
	case DT_ABOUT_THREAD:
		return f->process->sample ? f->process->sample->tid : (uint32_t)f->thread->owner;
	case DT_ABOUT_RUNTIME: return thread_time(f->process);
	case DT_ABOUT_TEXT: return b < 4 ? f->process->about.texts[b] : 0;
	case DT_ABOUT_DIRECTORY: return c ? directory(f->process, (uint8_t *)b, c) : 0;
	}
	return 0;
}
