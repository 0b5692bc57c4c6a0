/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads an aggregation without losing or doubling anything. Programs write to the buffer that the array
 * of maps names. We name the other one; the kernel returns from that update when every program that
 * could have seen the old one has ended. Then we read and empty the old one, which no one touches any
 * more.
 */
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A batch is about 1 MiB: few calls, and not much memory beside the buffers. */
enum { BATCH_BYTES = 1 << 20, BATCH_MIN = 16, BATCH_MAX = 4096 };

struct walk {
	struct dt_pair *pair;
	int fd;
	uint32_t ncpus;
	size_t elem;			/* bytes of one element: a value for each CPU */
	dt_agg_f *f;
	void *ctx;
	int ret;			/* f's first non-zero value */
};

static void give_element(struct walk *w, const void *key, const void *values)
{
	if (!w->ret)
		w->ret = w->f(w->ctx, key, values, w->ncpus);
}

/* An array cannot be emptied by deleting: its elements are set to zero. */
static int walk_array(struct walk *w)
{
	char *values = malloc(w->elem), *zeros = calloc(1, w->elem);
	int err = values && zeros ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < w->pair->max_entries && !err; i++) {
		if (bpf_map_lookup_elem(w->fd, &i, values) < 0)
			err = -errno;
		if (!err)
			give_element(w, &i, values);
		if (!err && bpf_map_update_elem(w->fd, &i, zeros, BPF_ANY) < 0)
			err = -errno;
	}
	free(values);
	free(zeros);
	return err;
}

/* Reads one element at a time, always the first, and deletes it. */
static int walk_keys(struct walk *w)
{
	char *key = malloc(w->pair->key_size), *values = malloc(w->elem);
	int err = key && values ? 0 : -ENOMEM;

	while (!err && bpf_map_get_next_key(w->fd, NULL, key) == 0) {
		if (bpf_map_lookup_elem(w->fd, key, values) < 0)
			err = -errno;
		if (!err)
			give_element(w, key, values);
		if (!err && bpf_map_delete_elem(w->fd, key) < 0)
			err = -errno;
	}
	if (!err && errno != ENOENT)
		err = -errno;
	free(key);
	free(values);
	return err;
}

struct batch {
	char *keys, *values;
	uint64_t at;			/* where the kernel goes on: a bucket number */
	bool begun;
};

/*
 * Reads and deletes up to a batch. 0: there may be more; 1: that was the last; -ENOSPC: one bucket
 * alone contains more.
 */
static int read_batch(struct walk *w, struct batch *b)
{
	uint32_t got = w->pair->batch;
	uint64_t next = 0;
	int err = 0;

	if (bpf_map_lookup_and_delete_batch(w->fd, b->begun ? &b->at : NULL, &next, b->keys, b->values, &got,
	    NULL) < 0)
		err = -errno;
	if (err && err != -ENOENT)
		return err;
	for (uint32_t i = 0; i < got; i++)
		give_element(w, b->keys + (size_t)i * w->pair->key_size, b->values + i * w->elem);
	b->at = next;
	b->begun = true;
	return err == -ENOENT;
}

static int walk_batches(struct walk *w)
{
	struct dt_pair *p = w->pair;
	struct batch b = { 0 };
	int done = 0;

	while (!done) {
		if (!b.keys) {
			b.keys = malloc((size_t)p->batch * p->key_size);
			b.values = malloc(p->batch * w->elem);
		}
		done = b.keys && b.values ? read_batch(w, &b) : -ENOMEM;
		if (done == -ENOSPC && p->batch < p->max_entries) {
			free(b.keys);
			free(b.values);
			b.keys = b.values = NULL;
			p->batch *= 2;
			done = 0;
		}
	}
	free(b.keys);
	free(b.values);
	return done < 0 ? done : 0;
}

static int walk_hash(struct walk *w)
{
	struct dt_pair *p = w->pair;
	int err = -EOPNOTSUPP;

	if (!p->batch) {
		size_t n = BATCH_BYTES / (p->key_size + w->elem);

		p->batch = n < BATCH_MIN ? BATCH_MIN : n > BATCH_MAX ? BATCH_MAX : (uint32_t)n;
	}
	err = walk_batches(w);
	/* Kernels answer ENOTSUPP (524) for a map type without batches. */
	if (err == -EINVAL || err == -EOPNOTSUPP || err == -524 || err == -ENOSPC)
		err = walk_keys(w);
	return err;
}

/* A pair that is switched but not yet read is left alone: its other buffer still has data. */
int dt_pairs_switch(struct dt_pair *pairs, const uint32_t *which, uint32_t n)
{
	struct dt_outer *jobs = calloc(n + 1u, sizeof(*jobs));
	int err;

	if (!jobs)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct dt_pair *p = &pairs[which[i]];

		jobs[i] = (struct dt_outer){
			.map = p->switched ? -1 : p->outer, .slot = p->slot, .inner = p->fd[!p->active]
		};
		p->switched = true;
	}
	dt_outer_start(jobs, n);
	err = dt_outer_join(jobs, n);
	for (uint32_t i = 0; i < n; i++) {
		if (jobs[i].map < 0)
			continue;
		if (jobs[i].err)
			pairs[which[i]].switched = false;
		else
			pairs[which[i]].active = !pairs[which[i]].active;
	}
	free(jobs);
	return err;
}

int dt_pair_snapshot(struct dt_pair *p, uint32_t ncpus, dt_agg_f *f, void *ctx)
{
	uint32_t cpus = p->percpu ? ncpus : 1;
	struct walk w = { p, -1, cpus, (size_t)p->value_size * cpus, f, ctx, 0 };
	int err = dt_pairs_switch(p, &(uint32_t){ 0 }, 1);

	if (err)
		return err;
	w.fd = p->fd[!p->active];
	p->switched = false;
	err = p->is_array ? walk_array(&w) : walk_hash(&w);
	return err ? err : w.ret;
}
