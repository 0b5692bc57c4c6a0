/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that sleeps and writes "dtrace: enabling probes: 3 s" over itself every second. It needs no help
 * from the library, whose calls may take long without returning.
 */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/*
 * Runs until p->stop. The line is wiped before the thread ends, so that progress_stop() leaves a clean
 * terminal.
 */
static void *show_progress(void *arg)
{
	struct progress *p = arg;
	struct timespec at;
	unsigned seconds = 0;

	clock_gettime(CLOCK_MONOTONIC, &at);
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		at.tv_sec++;
		while (!p->stop && pthread_cond_timedwait(&p->cond, &p->lock, &at) == 0)
			;
		if (!p->stop)
			fprintf(stderr, "\rdtrace: %s: %u s", p->what, ++seconds);
	}
	if (seconds > 0)
		fputs("\r\033[K", stderr);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void progress_start(struct progress *p, const char *what, bool quiet)
{
	pthread_condattr_t attr;
	sigset_t all, old;

	*p = (struct progress){ .what = what };
	if (quiet || !isatty(STDERR_FILENO))
		return;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->cond, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are for the main thread */
	p->running = pthread_create(&p->thread, NULL, show_progress, p) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void progress_stop(struct progress *p)
{
	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->cond);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->cond);
	pthread_mutex_destroy(&p->lock);
	p->running = false;
}
