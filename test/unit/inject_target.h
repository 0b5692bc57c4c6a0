/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets for the tests of src/inject: each is a child of the test; what it measured itself comes back
 * through memory that both have mapped.
 */
#ifndef DT_INJECT_TARGET_H
#define DT_INJECT_TARGET_H

#include "inject/inject.h"
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000 };

/* What a target says of itself. */
struct report {
	volatile int ready, go, done;
	volatile long result;
	volatile int error;
	volatile double took;
	volatile int pipe[2];
	volatile unsigned count;
	volatile int seen;
};

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void ms_sleep(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* Ten seconds are enough on any machine; what is waited for normally takes milliseconds. */
static inline int becomes(volatile int *word)
{
	for (int i = 0; i < 10000 && *word == 0; i++)
		ms_sleep(1);
	return *word != 0;
}

static inline struct report *new_report(void)
{
	struct report *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ends[2];

	if (r == MAP_FAILED || pipe(ends) != 0)
		abort();
	r->pipe[0] = ends[0];
	r->pipe[1] = ends[1];
	return r;
}

static inline void free_report(struct report *r)
{
	close(r->pipe[0]);
	close(r->pipe[1]);
	munmap(r, sizeof(*r));
}

typedef void target_f(struct report *);

static inline pid_t start(target_f *f, struct report *r)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	if (syscall(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	f(r);
	for (;;)
		ms_sleep(SECOND);
}

static inline void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static inline struct dt_inject *attach(pid_t pid)
{
	struct dt_inject *in = NULL;
	char msg[256] = "";

	if (!CHECK_INT(dt_inject_open(&in, (uint32_t)pid, false, msg, sizeof(msg)), 0))
		fprintf(stderr, "%s\n", msg);
	return in;
}

static inline int stop(struct dt_inject *in)
{
	char msg[256] = "";
	int err = dt_inject_stop(in, msg, sizeof(msg));

	if (err != 0)
		fprintf(stderr, "stop: %d %s\n", err, msg);
	return err;
}

static inline int64_t call0(struct dt_inject *in, long number)
{
	return dt_inject_call(in, number, (uint64_t[6]){ 0 });
}

static inline void begin(struct report *r)
{
	r->took = now();
	r->ready = 1;
}

static inline void finish(struct report *r, long result)
{
	r->error = result < 0 ? errno : 0;
	r->took = now() - r->took;
	r->result = result;
	r->done = 1;
}

static inline void handler(int sig) { (void)sig; }

static inline void in_loop(struct report *r)
{
	begin(r);
	while (!r->go)
		r->count++;
	finish(r, 0);
}

static inline char state_of(pid_t pid)
{
	char path[64], buf[256] = "", *p;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, buf, sizeof(buf) - 1) <= 0)
		buf[0] = '\0';
	close(fd);
	p = strrchr(buf, ')');
	return p != NULL ? p[2] : '?';
}

static inline bool runs(pid_t pid)
{
	char state = state_of(pid);

	return state != '?' && state != 'Z' && state != 'X';
}

static inline char state_becomes(pid_t pid, char want)
{
	for (int i = 0; i < 10000 && state_of(pid) != want; i++)
		ms_sleep(1);
	return state_of(pid);
}

static inline int memory_fd(const char *name, size_t len)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)len) != 0)
		abort();
	return fd;
}

/* The same size, so that one can be copied over the other. */
#define ANSWER __attribute__((noinline, aligned(64), unused)) static int
ANSWER answer_one(void) { int v = 1; __asm__ volatile("" : "+r"(v)); return v; }
ANSWER answer_two(void) { int v = 2; __asm__ volatile("" : "+r"(v)); return v; }

static inline void answers(struct report *r)
{
	r->seen = answer_one();
	r->ready = 1;
	while (!r->go)
		ms_sleep(1);
	r->result = answer_one();
	r->done = 1;
	ms_sleep(60 * SECOND);
}

#endif
