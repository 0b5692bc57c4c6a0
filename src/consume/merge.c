/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See merge.h. Records with equal times come in the order of the rings, and those of one ring in its
 * order. Records of a CPU's own ring are read where they lie: it gets its memory back when all records
 * before a position were handed on. In the ring that CPUs share, a CPU that is late may be behind any number
 * of others: it is emptied into a pool, which is sorted. Few records are there.
 */
#include "consume/merge.h"

#include "base/clock.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A program that is interrupted between reading the clock and reserving its record lets later times
 * come first in the ring; WINDOW is deeper than interrupts nest. RELEASE is how many records come
 * between two writes to the consumer's position, which the kernel reads.
 */
enum { WINDOW = 32, RELEASE = 64 };
#define PREEMPTED_NS 2000000u		/* as long as another thread's program may run in between */

struct item {
	uint64_t time;
	uint64_t from;			/* its position in the ring; in the pool: its order of arrival */
	const struct dt_rechdr *rec;
	size_t len;
};

struct source {				/* a ring, or the pool */
	uint32_t ring;
	int cpu;			/* -1: the pool */
	uint64_t pos, end;		/* what enters the window next; where this reading ends */
	uint64_t ends;			/* where the ring ended when it began */
	struct item *window;		/* sorted by time, [first, n) */
	uint32_t first, n;
	uint32_t unreleased;
	struct item room[WINDOW];	/* the window of a ring */
};

/*
 * What the readings before leave: where the ring ended, the latest time in it, and a time that no record
 * which was being written is earlier than.
 */
struct past { uint64_t end, newest, bound; };

struct dt_merge {
	struct dt_engine *engine;
	struct source *sources;		/* [0] is the pool, the others are rings with one CPU */
	uint32_t nsources, cap;
	struct source **heap;		/* sources with something in their window, the earliest first */
	uint32_t nheap;
	bool out;			/* the first item of heap[0] was passed on and is still in use */
	unsigned char *pooled;		/* what the items of the pool point to */
	uint32_t poolcap;		/* items */
	uint64_t arrived;		/* so many were in the pool */
	uint64_t began, before;		/* when this reading did, and the one before */
	uint64_t sure;			/* no record up to this time can still arrive */
	struct past *past;		/* by CPU + 1, [0]: the ring that they share */
	bool reading;			/* between start and stop */
	bool complete;			/* of this reading: nothing can still arrive */
};

/* Sources move, so no window may be in use. */
static bool room_for(struct dt_merge *m, uint32_t n)
{
	struct source *more;
	struct source **heap;

	if (n <= m->cap)
		return true;
	more = realloc(m->sources, n * sizeof(*more));
	if (more != NULL) {
		m->sources = more;
		memset(m->sources + m->cap, 0, (n - m->cap) * sizeof(*more));
	}
	heap = realloc(m->heap, n * sizeof(*heap));
	if (heap != NULL)
		m->heap = heap;
	if (more == NULL || heap == NULL)
		return false;
	m->cap = n;
	return true;
}

struct dt_merge *dt_merge_new(struct dt_engine *engine)
{
	struct dt_merge *m = calloc(1, sizeof(*m));

	if (m != NULL)
		m->past = calloc(engine->ops->ncpus(engine) + 1u, sizeof(*m->past));
	if (m == NULL || m->past == NULL || !room_for(m, 1)) {
		dt_merge_free(m);
		return NULL;
	}
	m->engine = engine;
	m->sources[0].cpu = -1;
	m->nsources = 1;
	return m;
}

void dt_merge_free(struct dt_merge *m)
{
	if (m == NULL)
		return;
	if (m->sources != NULL)
		free(m->sources[0].window);
	free(m->sources);
	free(m->heap);
	free(m->pooled);
	free(m->past);
	free(m);
}

/*
 * A program reserves its record before it reads the clock. So what was not there when a reading began is
 * later than that moment. The time of a record that is still being written is not known yet: if it was not
 * there at the reading before, it is later than that one; and it is later than what is before it in the ring
 * of its CPU, or little earlier if its thread was preempted there. Nothing of other rings that may be later
 * is handed on before it.
 */
static void found_busy(struct dt_merge *m, const struct source *s, uint64_t pos, uint64_t newest)
{
	struct past *p = &m->past[s->cpu + 1];
	uint64_t after = newest > PREEMPTED_NS ? newest - PREEMPTED_NS : 0;

	p->bound = pos >= p->end ? m->before : p->bound;
	after = after > p->bound ? after : p->bound;
	m->sure = after < m->sure ? after : m->sure;
}

/* ---- the pool ---- */

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* What is left of the last reading moves to the beginning, into memory that has room for `more` bytes. */
static int move_pool(struct dt_merge *m, uint64_t more)
{
	struct source *s = &m->sources[0];
	size_t used = 0, left = 0;
	unsigned char *to;

	for (uint32_t i = s->first; i < s->n; i++)
		left += (s->window[i].len + 7) & ~(size_t)7;
	to = malloc(left + more + 1);
	if (to == NULL)
		return -ENOMEM;
	for (uint32_t i = s->first; i < s->n; i++) {
		struct item *it = &s->window[i - s->first];

		*it = s->window[i];
		memcpy(to + used, it->rec, it->len);
		it->rec = (const struct dt_rechdr *)(void *)(to + used);
		used += (it->len + 7) & ~(size_t)7;
	}
	s->n -= s->first;
	s->first = 0;
	free(m->pooled);
	m->pooled = to;
	s->pos = used;			/* of the pool: how much of its memory is used */
	return 0;
}

static int pool_record(void *ctx, const void *data, size_t len)
{
	struct dt_merge *m = ctx;
	struct source *s = &m->sources[0];
	struct item *it;

	if (len < sizeof(*it->rec))
		return 0;		/* not one of ours */
	if (s->n == m->poolcap) {
		uint32_t cap = m->poolcap != 0 ? 2 * m->poolcap : 256;

		it = realloc(s->window, cap * sizeof(*it));
		if (it == NULL)
			return -ENOMEM;
		s->window = it;
		m->poolcap = cap;
	}
	it = &s->window[s->n++];
	memcpy(m->pooled + s->pos, data, len);
	it->rec = (const struct dt_rechdr *)(void *)(m->pooled + s->pos);
	it->time = it->rec->time;
	it->len = len;
	it->from = m->arrived++;
	s->pos += (len + 7) & ~(size_t)7;
	return 0;
}

/* Empties the shared ring. What comes meanwhile waits for the next reading. */
static int fill_pool(struct dt_merge *m, uint32_t ring)
{
	uint64_t end, pos = m->engine->ops->range(m->engine, ring, &end);
	const void *data;
	size_t len;
	int got = 0, err;

	if (pos == end)
		return 0;
	err = move_pool(m, end - pos);
	while (err == 0 && (got = m->engine->ops->next(m->engine, ring, &pos, end, &data, &len)) > 0) {
		err = pool_record(m, data, len);
		if (err == 0)
			m->engine->ops->release(m->engine, ring, pos);
	}
	if (err == 0 && got == 0)
		m->engine->ops->release(m->engine, ring, pos);
	if (pos < end)
		found_busy(m, &m->sources[0], pos, 0);
	m->past[0].end = end;
	if (m->sources[0].n > 0)
		qsort(m->sources[0].window, m->sources[0].n, sizeof(struct item), by_time);
	return err != 0 ? err : got < 0 ? got : 0;
}

int dt_merge_empty(struct dt_merge *m, int (*f)(void *ctx, const void *rec, size_t len), void *ctx)
{
	struct source *s = &m->sources[0];
	int err = 0;

	for (; s->first < s->n && err == 0; s->first += err == 0)
		err = f(ctx, s->window[s->first].rec, s->window[s->first].len);
	return err;
}

/* ---- windows ---- */

/* Inserts by time; equal times stay in the order of the ring. */
static void put_item(struct source *s, struct item it)
{
	uint32_t at = s->n++;

	for (; at > s->first && s->window[at - 1].time > it.time; at--)
		s->window[at] = s->window[at - 1];
	s->window[at] = it;
}

/* Refills the window only if half of it is empty, so items are seldom moved. */
static int fill_window(struct dt_merge *m, struct source *s)
{
	int got = 1;

	if (s->cpu < 0 || s->n - s->first > WINDOW / 2 || s->pos >= s->end)
		return 0;
	for (uint32_t i = s->first; i < s->n; i++)
		s->window[i - s->first] = s->window[i];
	s->n -= s->first;
	s->first = 0;
	while (s->n < WINDOW && got > 0) {
		const void *data;
		struct item it = { .from = s->pos };

		got = m->engine->ops->next(m->engine, s->ring, &s->pos, s->end, &data, &it.len);
		if (got > 0 && it.len >= sizeof(*it.rec)) {	/* shorter ones are not ours */
			it.rec = data;
			it.time = it.rec->time;
			if (it.time > m->past[s->cpu + 1].newest)
				m->past[s->cpu + 1].newest = it.time;
			put_item(s, it);
		}
	}
	if (got == 0 && s->pos < s->end) {
		found_busy(m, s, s->pos, m->past[s->cpu + 1].newest);
		s->end = s->pos;
	}
	return got < 0 ? got : 0;
}

/*
 * Gives memory back to the ring. The window may be out of the ring's order, so the lowest position in
 * it is the limit.
 */
static void release_read(struct dt_merge *m, struct source *s)
{
	uint64_t pos = s->pos;

	s->unreleased = 0;
	if (s->cpu < 0)
		return;			/* its ring has it back already */
	for (uint32_t i = s->first; i < s->n; i++)
		pos = s->window[i].from < pos ? s->window[i].from : pos;
	m->engine->ops->release(m->engine, s->ring, pos);
}

/* ---- the heap ---- */

static bool comes_before(const struct source *a, const struct source *b)
{
	uint64_t x = a->window[a->first].time, y = b->window[b->first].time;

	return x != y ? x < y : a < b;
}

/* The heap is ordered by the first record in the window of each source. */
static void sift_down(struct dt_merge *m, uint32_t at)
{
	struct source *s = m->heap[at];

	for (uint32_t child = 2 * at + 1; child < m->nheap; child = 2 * at + 1) {
		if (child + 1 < m->nheap && comes_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!comes_before(m->heap[child], s))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = s;
}

/*
 * Records that arrive from now on are not part of this reading: `end` was taken for each ring here.
 * What the last reading left in its windows is read again.
 */
int dt_merge_start(struct dt_merge *m, bool complete)
{
	uint32_t n;
	int err;

	for (uint32_t i = 1; i < m->nsources; i++)
		m->past[m->sources[i].cpu + 1].end = m->sources[i].ends;
	m->before = m->began;
	m->began = m->sure = dt_clock_ns();
	n = m->engine->ops->rings(m->engine);
	err = room_for(m, n + 1) ? 0 : -ENOMEM;
	m->complete = complete;
	m->reading = true;
	m->nheap = 0;
	m->nsources = 1;
	m->out = false;
	for (uint32_t i = 0; i < n && err == 0; i++) {
		struct source *s = &m->sources[m->nsources];

		if (m->engine->ops->ring_cpu(m->engine, i) < 0) {
			err = fill_pool(m, i);
			continue;
		}
		*s = (struct source){ .ring = i, .cpu = m->engine->ops->ring_cpu(m->engine, i) };
		s->window = s->room;
		s->pos = m->engine->ops->range(m->engine, i, &s->end);
		s->ends = s->end;
		m->nsources++;
		err = fill_window(m, s);
	}
	for (uint32_t i = 0; i < m->nsources; i++)
		if (m->sources[i].first < m->sources[i].n)
			m->heap[m->nheap++] = &m->sources[i];
	for (uint32_t i = m->nheap; i-- > 0;)
		sift_down(m, i);
	return err;
}

/* The record that was handed out last is no longer in use: its source moves on, and may leave the heap. */
static int next_item(struct dt_merge *m)
{
	struct source *s = m->heap[0];
	int err;

	m->out = false;
	s->first++;
	if (++s->unreleased >= RELEASE)
		release_read(m, s);
	err = fill_window(m, s);
	if (s->first == s->n) {
		release_read(m, s);
		m->heap[0] = m->heap[--m->nheap];
	}
	if (m->nheap > 0)
		sift_down(m, 0);
	return err;
}

const struct dt_rechdr *dt_merge_next(struct dt_merge *m, uint64_t until, size_t *len, int *err)
{
	const struct item *it;

	*err = m->out ? next_item(m) : 0;
	if (*err != 0 || m->nheap == 0)
		return NULL;
	it = &m->heap[0]->window[m->heap[0]->first];
	if (it->time > until || (!m->complete && it->time > m->sure))
		return NULL;
	m->out = true;
	*len = it->len;
	return it->rec;
}

uint64_t dt_merge_passed(const struct dt_merge *m, uint64_t until)
{
	return m->complete || until < m->sure ? until : m->sure;
}

/* A record that is still out counts as read: it was handled, or its handling failed for good. */
void dt_merge_stop(struct dt_merge *m)
{
	if (m->out)
		m->heap[0]->first++;
	m->out = m->reading = false;
	for (uint32_t i = 0; i < m->nsources; i++)
		release_read(m, &m->sources[i]);
	m->nheap = 0;
}

bool dt_merge_reading(const struct dt_merge *m) { return m->reading; }

/* First what is in the window, then the ring after it, which is not sorted: good enough to look ahead. */
static const struct dt_rechdr *ahead_in(struct dt_merge *m, const struct source *s, uint32_t cpu,
    bool (*f)(const void *, const struct dt_rechdr *), const void *ctx)
{
	uint64_t end, pos;
	const void *data;
	size_t len;

	for (uint32_t i = s->first + (m->out && m->heap[0] == s); i < s->n; i++)
		if (s->window[i].rec->cpu == cpu && f(ctx, s->window[i].rec))
			return s->window[i].rec;
	if (s->cpu < 0)
		return NULL;
	(void)m->engine->ops->range(m->engine, s->ring, &end);
	for (pos = s->pos; m->engine->ops->next(m->engine, s->ring, &pos, end, &data, &len) > 0;)
		if (len >= sizeof(struct dt_rechdr) && f(ctx, data))
			return data;
	return NULL;
}

/* The pool is older than the rings of single CPUs, and those are in the order in which they were made. */
const struct dt_rechdr *dt_merge_ahead(struct dt_merge *m, uint32_t cpu,
    bool (*f)(const void *, const struct dt_rechdr *), const void *ctx)
{
	const struct dt_rechdr *found = NULL;

	for (uint32_t i = 0; m->nheap > 0 && i < m->nsources && found == NULL; i++)
		if (m->sources[i].cpu < 0 || m->sources[i].cpu == (int)cpu)
			found = ahead_in(m, &m->sources[i], cpu, f, ctx);
	return found;
}
