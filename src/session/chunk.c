/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that grow while programs read them: arrays of maps, one element a chunk (record/unwind.h). bpf(2)
 * returns from setting such an element after a grace period (14 ms measured), although programs see it at
 * once. So each is set in a thread of its own, and we go on when the element is seen.
 */
#include "session/impl.h"
#include "base/child.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SEEN_NS = 20000, KEYS_MAX = 1 << 24 };

/* ---- elements ---- */

/* all: waits for those that are not done, too. */
static void reap(struct dt_session *s, bool all)
{
	for (struct dt_map_update **at = &s->unwind.placing, *job; (job = *at) != NULL;) {
		if (!all && !dt_map_update_done(job)) {
			at = &job->next;
			continue;
		}
		*at = job->next;
		(void)dt_map_update_join(job, 1);
		free(job);
	}
}

int dt_chunk_place(struct dt_session *s, int outer, uint32_t slot, int inner)
{
	struct dt_map_update *job = calloc(1, sizeof(*job));
	int err;

	reap(s, false);
	if (!job)
		return -ENOMEM;
	*job = (struct dt_map_update){ .map = outer, .slot = slot, .inner = inner };
	dt_map_update_start(job, 1);
	if (job->threaded) {
		job->next = s->unwind.placing;
		s->unwind.placing = job;
		return 0;
	}
	err = dt_map_update_join(job, 1);
	free(job);
	return err;
}

/* What the thread came back with; 0 also while it has not. */
static int came_back(const struct dt_session *s, int outer, uint32_t slot, bool *done)
{
	*done = true;
	for (const struct dt_map_update *job = s->unwind.placing; job; job = job->next)
		if (job->map == outer && job->slot == slot) {
			*done = dt_map_update_done(job);
			return *done ? job->err : 0;
		}
	return 0;
}

/* Element and state are read in this order: what a finished thread has set is seen. */
int dt_chunk_seen(struct dt_session *s, int outer, uint32_t slot, int inner)
{
	const struct timespec pause = { .tv_nsec = SEEN_NS };
	bool done = false;
	int err = 0;

	while (!err) {
		err = came_back(s, outer, slot, &done);
		if (!err && dt_map_update_seen(outer, slot, inner))
			return 0;
		if (!err && done)
			err = -EIO;
		if (!err)
			nanosleep(&pause, NULL);
	}
	return err;
}

/* ---- chunks ---- */

static int make_like(const struct dt_image_map *m, uint32_t n)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = m->flags);
	int fd = bpf_map_create(m->type, m->name, m->key_size, m->value_size, n, &opts);

	return fd < 0 ? -errno : fd;
}

/* The first one is the image's, and is being placed since the session was opened. */
static int make_chunk(struct dt_session *s, struct dt_chunks *c, struct dt_chunk *to)
{
	int err = 0;

	to->fd = c->n > 0 ? make_like(c->like, c->like->max_entries) : c->first;
	if (to->fd < 0)
		return to->fd;
	to->area = dt_map_nofork(to->fd, 0, c->len, PROT_READ | PROT_WRITE, NULL);
	if (to->area == MAP_FAILED)
		err = -errno;
	if (!err && c->n > 0)
		err = dt_chunk_place(s, c->outer, c->n, to->fd);
	if (!err)
		err = dt_chunk_seen(s, c->outer, c->n, to->fd);
	if (err && to->area != MAP_FAILED)
		munmap(to->area, c->len);
	if (err && c->n > 0) {
		reap(s, true);		/* the thread may still read the descriptor */
		close(to->fd);
	}
	return err;
}

void *dt_chunk_area(struct dt_session *s, struct dt_chunks *c, uint32_t i)
{
	struct dt_chunk *more;

	if (i < c->n)
		return c->chunk[i].area;
	more = i == c->n ? realloc(c->chunk, (c->n + 1u) * sizeof(*more)) : NULL;
	if (!more)
		return NULL;
	c->chunk = more;
	if (make_chunk(s, c, &c->chunk[c->n]) != 0)
		return NULL;
	return c->chunk[c->n++].area;
}

/* ---- the hash ---- */

/* Nobody but us writes to it, so its keys do not change meanwhile. */
static int copy_keys(int from, int to, const struct dt_image_map *like)
{
	char *room = calloc(2, like->key_size + like->value_size), *key = NULL, *next = room, *value;
	int err = room ? 0 : -ENOMEM;

	value = room ? room + 2 * like->key_size : NULL;
	while (!err && bpf_map_get_next_key(from, key, next) == 0) {
		if (bpf_map_lookup_elem(from, next, value) < 0 ||
		    bpf_map_update_elem(to, next, value, BPF_ANY) < 0)
			err = -errno;
		key = next;
		next = room + (next == room ? like->key_size : 0);
	}
	free(room);
	return err;
}

int dt_chunk_grow_keys(struct dt_session *s)
{
	struct dt_chunks *k = &s->unwind.keys;
	uint32_t n = k->n * 2;
	int fd = n <= KEYS_MAX ? make_like(k->like, n) : -E2BIG, err;

	if (fd < 0)
		return fd;
	reap(s, true);			/* one at a time: they set the same element */
	err = copy_keys(k->first, fd, k->like);
	if (!err)
		err = dt_chunk_place(s, k->outer, 0, fd);
	if (!err)
		err = dt_chunk_seen(s, k->outer, 0, fd);
	if (err) {
		reap(s, true);
		close(fd);
		return err;
	}
	if (k->owned)
		close(k->first);
	k->first = fd;
	k->owned = true;
	k->n = n;
	return 0;
}

void dt_chunks_close(struct dt_session *s)
{
	reap(s, true);
	for (int t = 0; t < DT_CHUNKS; t++) {
		struct dt_chunks *c = &s->unwind.chunks[t];

		for (uint32_t i = 0; i < c->n; i++) {
			munmap(c->chunk[i].area, c->len);
			if (i > 0)
				close(c->chunk[i].fd);
		}
		free(c->chunk);
		*c = (struct dt_chunks){ 0 };
	}
	if (s->unwind.keys.owned)
		close(s->unwind.keys.first);
	s->unwind.keys = (struct dt_chunks){ 0 };
}
