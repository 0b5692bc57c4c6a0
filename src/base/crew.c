/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See crew.h. The jobs are a ring: those before `next` were begun, those from it on wait. `lock` guards all
 * of it but the constants; a job itself belongs to the thread that set it to BUSY.
 */
#include "base/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct slot {
	void *job;
	enum { WAITING, BUSY, DONE } state;
};

struct dt_crew {
	dt_crew_f *work;
	unsigned most, room;			/* constants, as is the process */
	pid_t process;
	pthread_mutex_t lock;
	pthread_cond_t given, done;
	unsigned first, n;			/* the oldest job in the ring, and how many are there */
	unsigned begun;				/* how many of them are BUSY or DONE */
	unsigned idle;				/* threads that wait for a job */
	bool over;
	unsigned nthreads;			/* of the owner alone */
	pthread_t *threads;
	struct slot slots[];
};

struct dt_crew *dt_crew_new(unsigned threads, unsigned jobs, dt_crew_f *work)
{
	struct dt_crew *c = calloc(1, sizeof(*c) + jobs * sizeof(c->slots[0]));

	if (c == NULL)
		return NULL;
	c->threads = calloc(threads + 1, sizeof(*c->threads));
	if (c->threads == NULL) {
		free(c);
		return NULL;
	}
	c->work = work;
	c->most = threads;
	c->room = jobs;
	c->process = getpid();
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->given, NULL);
	pthread_cond_init(&c->done, NULL);
	return c;
}

/* The oldest job that waits, which is now in the hands of the caller. The lock is held. */
static struct slot *begin_job(struct dt_crew *c)
{
	struct slot *s = &c->slots[(c->first + c->begun++) % c->room];

	s->state = BUSY;
	return s;
}

/* The life of a thread. The owner waits for the oldest job alone, so only that one is announced. */
static void *do_jobs(void *arg)
{
	struct dt_crew *c = arg;

	pthread_mutex_lock(&c->lock);
	while (!c->over) {
		struct slot *s;

		if (c->begun == c->n) {
			c->idle++;
			pthread_cond_wait(&c->given, &c->lock);
			c->idle--;
			continue;
		}
		s = begin_job(c);
		pthread_mutex_unlock(&c->lock);
		c->work(s->job);
		pthread_mutex_lock(&c->lock);
		s->state = DONE;
		if (s == &c->slots[c->first])
			pthread_cond_signal(&c->done);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* A thread that cannot be started is not tried again: the others, or the owner, do its work. */
static void start_thread(struct dt_crew *c)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&c->threads[c->nthreads], NULL, do_jobs, c) == 0)
		c->nthreads++;
	else
		c->most = c->nthreads;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool dt_crew_pending(const struct dt_crew *c) { return c->n > 0; }

bool dt_crew_full(const struct dt_crew *c) { return c->n == c->room; }

unsigned dt_crew_threads(const struct dt_crew *c) { return c->nthreads; }

void dt_crew_give(struct dt_crew *c, void *job)
{
	bool more;

	pthread_mutex_lock(&c->lock);
	c->slots[(c->first + c->n++) % c->room] = (struct slot){ job, WAITING };
	more = c->n - c->begun > c->idle;
	if (c->idle > 0)
		pthread_cond_signal(&c->given);
	pthread_mutex_unlock(&c->lock);
	if (more && c->nthreads < c->most)
		start_thread(c);
}

void *dt_crew_take(struct dt_crew *c)
{
	struct slot *s;
	void *job;

	pthread_mutex_lock(&c->lock);
	s = &c->slots[c->first];
	if (c->n == 0) {
		pthread_mutex_unlock(&c->lock);
		return NULL;
	}
	if (s->state == WAITING) {
		begin_job(c);
		pthread_mutex_unlock(&c->lock);
		c->work(s->job);
		pthread_mutex_lock(&c->lock);
		s->state = DONE;
	}
	while (s->state != DONE)
		pthread_cond_wait(&c->done, &c->lock);
	job = s->job;
	c->first = (c->first + 1) % c->room;
	c->n--;
	c->begun--;
	pthread_mutex_unlock(&c->lock);
	return job;
}

/* In a child process that was forked off there are no threads to wait for. */
void dt_crew_free(struct dt_crew *c)
{
	if (c == NULL)
		return;
	if (c->nthreads > 0 && c->process != getpid())
		return;
	pthread_mutex_lock(&c->lock);
	c->over = true;
	pthread_cond_broadcast(&c->given);
	pthread_mutex_unlock(&c->lock);
	while (c->nthreads > 0)
		pthread_join(c->threads[--c->nthreads], NULL);
	pthread_cond_destroy(&c->done);
	pthread_cond_destroy(&c->given);
	pthread_mutex_destroy(&c->lock);
	free(c->threads);
	free(c);
}
