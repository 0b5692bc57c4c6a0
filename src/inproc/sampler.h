/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/inproc: samples for profile probes. A sample is a thread of a named process as it was when
 * it had used the CPU for another interval. There are two ways to take one: the kernel does it (clocks.c),
 * or, where perf_event_open(2) is not allowed, we interrupt the thread (interrupts.c). The clause runs in
 * dtrace.
 */
#ifndef DT_INPROC_SAMPLER_H
#define DT_INPROC_SAMPLER_H

#include "inproc/inproc.h"

struct inproc_clocks;

struct inproc_rate { uint32_t hook; uint64_t interval; };	/* a profile probe */
struct inproc_sampled {
	uint32_t pid, uid, gid;
	bool child;			/* dtrace has started it */
	struct dt_agent_about about;
};
struct inproc_thread_name { uint32_t tid; char name[16]; };

struct inproc_sampler {
	struct inproc *p;
	struct inproc_rate *rate;
	uint32_t nrates;
	struct inproc_sampled *process;
	uint32_t nprocesses;
	struct inproc_thread_name *name;	/* of threads that were seen */
	uint32_t nnames;
	struct dt_agent_process as;	/* what programs run as */
	struct dt_agent_sample sample;	/* the one in hand */
	struct inproc_clocks *clocks;	/* NULL: threads are interrupted */
	int stop;			/* an eventfd: readable when the thread has to end */
	pthread_t thread;
	bool running;
};

/*
 * sampler.c. begin says whose sample it is: NULL, if the process is none of the named ones. fire runs the
 * program of the probe; the rest of s->sample is set by then.
 */
struct dt_agent_sample *dt_sampler_begin(struct inproc_sampler *, uint32_t pid, uint32_t tid);
void dt_sampler_fire(struct inproc_sampler *, const struct inproc_rate *, const uint64_t *regs);
void dt_sampler_lose(struct inproc_sampler *, uint64_t n);
void dt_sampler_rename(struct inproc_sampler *, uint32_t tid, const char *name);
/* Calls f for each thread of a process until it gives other than 0: that, or -errno. */
int dt_sampler_threads(uint32_t pid, int (*f)(void *ctx, uint32_t pid, uint32_t tid), void *ctx);

/* clocks.c: opened before the processes run. run returns when it is to stop, and everything is taken. */
int dt_clocks_open(struct inproc_sampler *);
void dt_clocks_run(struct inproc_sampler *);
void dt_clocks_close(struct inproc_clocks *);

/* interrupts.c: 0, or -errno with a sentence: threads of the process cannot be interrupted. */
int dt_interrupts_possible(const struct inproc_sampler *, char *msg, size_t len);
void dt_interrupts_run(struct inproc_sampler *);

#endif
