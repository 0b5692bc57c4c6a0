/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick-n: a thread sleeps until the next tick is due and runs its program (BPF_PROG_RUN, here). A perf
 * event would not do, because on an idle CPU of some machines none arrives (see perf.c). Ticks are due
 * at fixed points in time from the start, so one late tick does not shift the later ones.
 * Measured (2 CPUs, 6.18; test/unit/session_tick_test.c prints it), over several runs: tick-10ms is off by 6
 * to 12 µs on average and 15 to 34 µs at worst without load of our own, by 9 to 18 and 14 to 55 µs with
 * 4 spinning threads (before SCHED_FIFO: by 3 to 7 and 8 to 18 ms).
 */
#include "session/impl.h"
#include "base/clock.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000 };
/*
 * A tick that is later than this is skipped: the machine was stopped, and a storm of ticks helps no
 * one.
 */
#define LATE_MAX (1ull * NS)

int dt_prog_run(int fd, const uint64_t *args, uint32_t nargs)
{
	/* As many as a raw tracepoint can have; the kernel wants all that the program may read */
	uint64_t ctx[12] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ctx, .ctx_size_in = sizeof(ctx));

	if (nargs > 12)
		return -EINVAL;
	if (nargs)
		memcpy(ctx, args, nargs * sizeof(ctx[0]));
	return bpf_prog_test_run_opts(fd, &opts) < 0 ? -errno : 0;
}

/* If we may not run on that CPU, nothing changes and the program runs here. */
int dt_cpu_stay(uint32_t cpu, void *before, size_t len)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	if (cpu >= CPU_SETSIZE || sched_getaffinity(0, len, before) < 0)
		return -EINVAL;
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) < 0 ? -errno : 0;
}

static bool is_stopped(const struct dt_ticker *t)
{
	return t->control && __atomic_load_n(&t->control->stopped, __ATOMIC_RELAXED);
}

static uint64_t next_due(const struct dt_ticker *t)
{
	uint64_t due = UINT64_MAX;

	for (uint32_t i = 0; i < t->n; i++)
		if (t->ticks[i].next < due)
			due = t->ticks[i].next;
	return due;
}

static void run_due(struct dt_ticker *t, uint64_t now)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct dt_tick *tick = &t->ticks[i];

		if (tick->next > now)
			continue;
		if (!is_stopped(t))	/* by exit(), or a buffer that is full */
			t->run(t->ctx, tick->prog);
		tick->next += tick->interval;
		if (tick->next < now && now - tick->next > LATE_MAX)
			tick->next += (now - tick->next) / tick->interval * tick->interval;
	}
	if (t->control && __atomic_load_n(&t->control->exited, __ATOMIC_RELAXED))
		(void)!write(t->event, &(uint64_t){ 1 }, sizeof(uint64_t));
}

static void *ticker_main(void *arg)
{
	struct dt_ticker *t = arg;
	cpu_set_t before;

	if (t->only_cpu)
		dt_cpu_stay(t->only_cpu - 1, &before, sizeof(before));
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);	/* 50 µs otherwise */
	/*
	 * On other systems a tick is an interrupt: it must not queue behind busy programs. Without the
	 * privilege it comes later.
	 */
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &(struct sched_param){ .sched_priority = 1 });
	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		uint64_t due = next_due(t), now = dt_clock_ns();
		struct timespec at = { .tv_sec = (time_t)(due / NS), .tv_nsec = (long)(due % NS) };

		if (due > now) {
			pthread_cond_timedwait(&t->cond, &t->lock, &at);
			continue;
		}
		pthread_mutex_unlock(&t->lock);
		run_due(t, now);
		pthread_mutex_lock(&t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

int dt_ticker_start(struct dt_ticker *t)
{
	pthread_condattr_t attr;
	sigset_t all, old;
	uint64_t now = dt_clock_ns();
	int err;

	if (!t->n)
		return 0;
	for (uint32_t i = 0; i < t->n; i++)
		t->ticks[i].next = now + (t->now ? 0 : t->ticks[i].interval);
	t->stop = false;
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&t->cond, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are for the caller's threads */
	err = pthread_create(&t->thread, NULL, ticker_main, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	t->running = !err;
	return -err;
}

static void end_thread(struct dt_ticker *t)
{
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_signal(&t->cond);
	pthread_mutex_unlock(&t->lock);
}

void dt_ticker_leave(struct dt_ticker *t)
{
	if (!t->running)
		return;
	end_thread(t);
	pthread_detach(t->thread);
}

void dt_ticker_stop(struct dt_ticker *t)
{
	if (!t->running)
		return;
	end_thread(t);
	pthread_join(t->thread, NULL);
	pthread_cond_destroy(&t->cond);
	pthread_mutex_destroy(&t->lock);
	t->running = false;
}
