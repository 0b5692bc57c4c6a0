/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See merge.h. Records with equal times come in the order of their CPUs, and those of one CPU in the
 * order of its ring. Records are read where they lie: a ring gets its memory back when all records
 * before a position were handed on.
 */
#include "consume/merge.h"

#include "session/session.h"

#include <errno.h>
#include <stdlib.h>

/*
 * A program that is interrupted between reading the clock and reserving its record lets later times
 * come first in the ring; WINDOW is deeper than interrupts nest. RELEASE is how many records come
 * between two writes to the consumer's position, which the kernel reads.
 */
enum { WINDOW = 32, RELEASE = 64 };

struct item {
	uint64_t time;
	uint64_t from;			/* its position in the ring */
	const struct dt_rechdr *rec;
	size_t len;
};

struct source {				/* one CPU's ring */
	uint32_t cpu;
	uint64_t pos, end;		/* what enters the window next; where this reading ends */
	struct item window[WINDOW];	/* sorted by time, [first, n) */
	uint32_t first, n;
	uint32_t unreleased;
};

struct dt_merge {
	struct dt_session *session;
	struct source *sources;
	uint32_t nsources;
	struct source **heap;		/* sources with something in their window, the earliest first */
	uint32_t nheap;
	bool out;			/* the first item of heap[0] was passed on and is still in use */
};

struct dt_merge *dt_merge_new(struct dt_session *session)
{
	struct dt_merge *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->session = session;
	m->nsources = dt_session_ncpus(session);
	m->sources = calloc(m->nsources, sizeof(*m->sources));
	m->heap = calloc(m->nsources, sizeof(*m->heap));
	if (m->sources == NULL || m->heap == NULL) {
		dt_merge_free(m);
		return NULL;
	}
	for (uint32_t i = 0; i < m->nsources; i++)
		m->sources[i].cpu = i;
	return m;
}

void dt_merge_free(struct dt_merge *m)
{
	if (m == NULL)
		return;
	free(m->sources);
	free(m->heap);
	free(m);
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

	if (s->n - s->first > WINDOW / 2 || s->pos >= s->end)
		return 0;
	for (uint32_t i = s->first; i < s->n; i++)
		s->window[i - s->first] = s->window[i];
	s->n -= s->first;
	s->first = 0;
	while (s->n < WINDOW && got > 0) {
		const void *data;
		struct item it = { .from = s->pos };

		got = dt_session_next(m->session, s->cpu, &s->pos, s->end, &data, &it.len);
		if (got > 0 && it.len >= sizeof(*it.rec)) {	/* shorter ones are not ours */
			it.rec = data;
			it.time = it.rec->time;
			put_item(s, it);
		}
	}
	if (got == 0)
		s->end = s->pos;	/* a record that is still being written ends this reading */
	return got < 0 ? got : 0;
}

/*
 * Gives memory back to the ring. The window may be out of the ring's order, so the lowest position in
 * it is the limit.
 */
static void release_read(struct dt_merge *m, struct source *s)
{
	uint64_t pos = s->pos;

	for (uint32_t i = s->first; i < s->n; i++)
		pos = s->window[i].from < pos ? s->window[i].from : pos;
	dt_session_release(m->session, s->cpu, pos);
	s->unreleased = 0;
}

/* ---- the heap ---- */

static bool comes_before(const struct source *a, const struct source *b)
{
	uint64_t x = a->window[a->first].time, y = b->window[b->first].time;

	return x != y ? x < y : a->cpu < b->cpu;
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
int dt_merge_start(struct dt_merge *m)
{
	int err = 0;

	m->nheap = 0;
	m->out = false;
	for (uint32_t i = 0; i < m->nsources && err == 0; i++) {
		struct source *s = &m->sources[i];

		s->pos = dt_session_range(m->session, i, &s->end);
		s->first = s->n = s->unreleased = 0;
		err = fill_window(m, s);
		if (s->n > 0)
			m->heap[m->nheap++] = s;
	}
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
	if (it->time > until)
		return NULL;
	m->out = true;
	*len = it->len;
	return it->rec;
}

/* A record that is still out counts as read: it was handled, or its handling failed for good. */
void dt_merge_stop(struct dt_merge *m)
{
	if (m->out)
		m->heap[0]->first++;
	m->out = false;
	for (uint32_t i = 0; i < m->nsources; i++)
		release_read(m, &m->sources[i]);
	m->nheap = 0;
}

/* First what is in the window, then the ring behind it, which is not sorted: good enough to look ahead. */
const struct dt_rechdr *dt_merge_ahead(struct dt_merge *m, uint32_t cpu,
    bool (*f)(const void *, const struct dt_rechdr *), const void *ctx)
{
	const struct source *s = cpu < m->nsources ? &m->sources[cpu] : NULL;
	uint64_t end, pos;
	const void *data;
	size_t len;

	if (s == NULL || m->nheap == 0)
		return NULL;
	for (uint32_t i = s->first + (m->out && m->heap[0] == s); i < s->n; i++)
		if (f(ctx, s->window[i].rec))
			return s->window[i].rec;
	(void)dt_session_range(m->session, cpu, &end);
	for (pos = s->pos; dt_session_next(m->session, cpu, &pos, end, &data, &len) > 0;)
		if (len >= sizeof(struct dt_rechdr) && f(ctx, data))
			return data;
	return NULL;
}
