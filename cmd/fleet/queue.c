/* SPDX-License-Identifier: BSD-2-Clause */
/* See queue.h. */
#include "queue.h"

#include "base.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MOST = 60, RETRY_AFTER_MOST = 300 };	/* seconds */

struct item { struct item *next; char *to, *bytes; size_t len; };

struct queue {
	struct queue_kind kind;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct item *first, **last;
	size_t bytes;
	struct queue_counts counts;
	bool ending, complained;
};

static void free_item(struct item *i)
{
	free(i->to);
	free(i->bytes);
	free(i);
}

/* ---- the queue; its lock is held ---- */

static void drop_first(struct queue *q)
{
	struct item *i = q->first;

	q->first = i->next;
	if (q->first == NULL)
		q->last = &q->first;
	q->bytes -= i->len;
	q->counts.waiting--;
	free_item(i);
}

static void add_item(struct queue *q, struct item *i)
{
	*q->last = i;
	q->last = &i->next;
	q->bytes += i->len;
	q->counts.waiting++;
	/* the first may be on its way: the thread has a copy of it */
	while (q->counts.waiting > q->kind.most || (q->bytes > q->kind.bytes && q->counts.waiting > 1)) {
		drop_first(q);
		q->counts.dropped++;
	}
	pthread_cond_broadcast(&q->changed);
}

void queue_put(struct queue *q, const char *to, const void *bytes, size_t len)
{
	struct item *i = calloc(1, sizeof(*i));

	if (i != NULL)
		*i = (struct item){ .to = strdup(to), .bytes = malloc(len + 1), .len = len };
	pthread_mutex_lock(&q->lock);
	if (i != NULL && i->to != NULL && i->bytes != NULL) {
		memcpy(i->bytes, bytes, len);
		add_item(q, i);
	} else {
		q->counts.dropped++;
		if (i != NULL)
			free_item(i);
	}
	pthread_mutex_unlock(&q->lock);
}

/* ---- the thread ---- */

static void wait_seconds(struct queue *q, int seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	while (!q->ending && pthread_cond_timedwait(&q->changed, &q->lock, &until) == 0)
		;
}

/* Takes the first out of the queue, so that a full queue may drop what is behind it meanwhile. */
static struct item *take_item(struct queue *q)
{
	struct item *i;

	while (q->first == NULL && !q->ending)
		pthread_cond_wait(&q->changed, &q->lock);
	if ((i = q->first) == NULL)
		return NULL;
	q->first = i->next;
	if (q->first == NULL)
		q->last = &q->first;
	q->bytes -= i->len;
	return i;
}

static void say_once(struct queue *q, bool works)
{
	if (works == !q->complained)
		return;
	q->complained = !works;
	fprintf(stderr, works ? "%s: %s: %s answers again\n" :
	    "%s: %s: %s does not take what is sent; it is sent again later\n", q->kind.who, q->kind.what,
	    q->kind.where);
}

static void send_item(struct queue *q, const struct item *i)
{
	int wait = 1;

	for (;;) {
		int after = 0;
		enum outcome what;

		pthread_mutex_unlock(&q->lock);
		what = q->kind.send(q->kind.ctx, i->to, i->bytes, i->len, &after);
		pthread_mutex_lock(&q->lock);
		say_once(q, what != AGAIN);
		if (what != AGAIN) {
			q->counts.sent += what == SENT;
			q->counts.refused += what == REFUSED;
			return;
		}
		if (q->ending) {
			q->counts.dropped++;
			return;
		}
		q->counts.retried++;
		after = after < 0 ? 0 : after < RETRY_AFTER_MOST ? after : RETRY_AFTER_MOST;
		wait_seconds(q, after > wait ? after : wait);
		wait = 2 * wait < WAIT_MOST ? 2 * wait : WAIT_MOST;
	}
}

static void *work(void *arg)
{
	struct queue *q = arg;
	struct item *i;

	pthread_mutex_lock(&q->lock);
	while ((i = take_item(q)) != NULL) {
		send_item(q, i);
		q->counts.waiting--;
		free_item(i);
		pthread_cond_broadcast(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* ---- its life ---- */

struct queue *queue_open(const struct queue_kind *kind)
{
	struct queue *q = calloc(1, sizeof(*q));
	pthread_condattr_t clock;

	if (q == NULL)
		return NULL;
	q->kind = *kind;
	q->last = &q->first;
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&q->changed, &clock);
	pthread_condattr_destroy(&clock);
	if (pthread_create(&q->thread, NULL, work, q) == 0)
		return q;
	fprintf(stderr, "%s: %s: no thread can be made\n", kind->who, kind->what);
	free(q);
	return NULL;
}

struct queue_counts queue_count(struct queue *q)
{
	struct queue_counts counts;

	pthread_mutex_lock(&q->lock);
	counts = q->counts;
	pthread_mutex_unlock(&q->lock);
	return counts;
}

/* All is sent, or nobody takes it. */
static bool is_done(struct queue *q)
{
	bool done;

	pthread_mutex_lock(&q->lock);
	done = q->counts.waiting == 0 || q->complained;
	pthread_mutex_unlock(&q->lock);
	return done;
}

void queue_close(struct queue *q, int seconds)
{
	uint64_t until = now_ns() + (uint64_t)seconds * 1000000000ull;

	while (now_ns() < until && !is_done(q))
		usleep(10000);
	pthread_mutex_lock(&q->lock);
	q->ending = true;
	while (q->first != NULL) {
		drop_first(q);
		q->counts.dropped++;
	}
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	free(q);
}
