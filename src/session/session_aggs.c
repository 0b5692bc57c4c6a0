/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads aggregations without losing or doubling anything. A firing adds to the generation that it read when
 * it began (DT_GEN_…, bpf/image.h). We close the one in use and change the side; the kernel returns from an
 * update of an array of maps when every program that could have read the old word has ended. Then we read
 * and empty the hashes of the old side and the cells of the closed generations, which no program touches any
 * more.
 */
#include "session/impl.h"
#include "base/clock.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A batch is about 1 MiB: few calls, and not much memory beside the buffers. */
enum { BATCH_BYTES = 1 << 20, BATCH_MIN = 16, BATCH_MAX = 4096 };

struct walk {
	struct dt_session *s;
	struct dt_aggmaps *maps;
	uint32_t group;
	int fd;
	uint64_t first, last;		/* generations that are read */
	uint32_t ncpus;
	size_t elem;			/* bytes of one element: a value for each CPU */
	dt_aggcell_f *f;
	void *ctx;
	int ret;			/* f's first non-zero value */
};

static void give_part(struct walk *w, const struct dt_aggcell *part)
{
	if (!w->ret)
		w->ret = w->f(w->ctx, part);
}

/* The aggregation at that place of the group; naggs: there is none. */
static uint32_t find_member(const struct walk *w, uint32_t member)
{
	const struct dt_layouts *l = &w->s->image->layouts;
	uint32_t i = 0;

	while (i < l->naggs && (l->aggs[i].group != w->group || l->aggs[i].member != member))
		i++;
	return i;
}

/* The key's last word has the low bits of the generation's number, which all that is read agrees on. */
static void give_element(struct walk *w, const void *key, const void *values)
{
	struct dt_aggcell part = { .key = key, .words = values, .stride = w->maps->value_size / 8,
		.ncpus = w->ncpus };
	uint32_t word, bits = (1u << DT_GEN_KEY_BITS) - 1;

	memcpy(&word, (const char *)key + w->maps->key_size - sizeof(word), sizeof(word));
	part.cpu = w->maps->percpu ? 0 : word & ((1u << DT_GEN_CPU_BITS) - 1);
	part.agg = find_member(w, word >> DT_GEN_CPU_BITS & (DT_GEN_MEMBERS - 1));
	part.gen = w->first + (((word >> (DT_GEN_SHIFT + 1)) - (uint32_t)w->first) & bits);
	if (part.gen > w->last)		/* a rest, after an earlier walk failed */
		part.gen = w->first;
	if (part.agg < w->s->image->layouts.naggs)
		give_part(w, &part);
}

/* All aggregations in one cell. */
static void give_cell(struct walk *w, uint64_t gen, const int64_t *values)
{
	const struct dt_image *image = w->s->image;

	for (uint32_t i = 0; i < image->layouts.naggs; i++) {
		struct dt_aggcell part = { .agg = i, .gen = gen, .key = "",
			.words = values + image->layouts.aggs[i].base, .stride = w->maps->value_size / 8,
			.ncpus = w->ncpus };

		if (image->layouts.aggs[i].group == w->group)
			give_part(w, &part);
	}
}

/* An array cannot be emptied by deleting: its elements are set to zero. */
static int walk_cells(struct walk *w)
{
	char *values = malloc(w->elem), *zeros = calloc(1, w->elem);
	int err = values && zeros ? 0 : -ENOMEM;

	for (uint64_t gen = w->first; gen <= w->last && !err; gen++) {
		uint32_t i = (uint32_t)gen & (w->maps->max_entries - 1);

		if (bpf_map_lookup_elem(w->fd, &i, values) < 0)
			err = -errno;
		if (!err)
			give_cell(w, gen, (const int64_t *)(void *)values);
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
	char *key = malloc(w->maps->key_size), *values = malloc(w->elem);
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
	uint32_t got = w->maps->batch;
	uint64_t next = 0;
	int err = 0;

	if (bpf_map_lookup_and_delete_batch(w->fd, b->begun ? &b->at : NULL, &next, b->keys, b->values, &got,
	    NULL) < 0)
		err = -errno;
	if (err && err != -ENOENT)
		return err;
	for (uint32_t i = 0; i < got; i++)
		give_element(w, b->keys + (size_t)i * w->maps->key_size, b->values + i * w->elem);
	b->at = next;
	b->begun = true;
	return err == -ENOENT;
}

static int walk_batches(struct walk *w)
{
	struct dt_aggmaps *p = w->maps;
	struct batch b = { 0 };
	int done = 0;

	free(w->s->walk_keys);
	free(w->s->walk_values);
	w->s->walk_keys = w->s->walk_values = NULL;
	while (!done) {
		if (!b.keys) {
			b.keys = malloc((size_t)p->batch * p->key_size);
			b.values = malloc(p->batch * w->elem);
			w->s->walk_keys = b.keys;
			w->s->walk_values = b.values;
		}
		done = b.keys && b.values ? read_batch(w, &b) : -ENOMEM;
		if (done == -ENOSPC && p->batch < p->max_entries) {
			free(b.keys);
			free(b.values);
			b.keys = b.values = NULL;
			w->s->walk_keys = w->s->walk_values = NULL;
			p->batch *= 2;
			done = 0;
		}
	}
	free(b.keys);
	free(b.values);
	w->s->walk_keys = w->s->walk_values = NULL;
	return done < 0 ? done : 0;
}

static int walk_hash(struct walk *w)
{
	struct dt_aggmaps *p = w->maps;
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

int dt_agg_grace(struct dt_session *s)
{
	for (uint32_t i = 0; i < s->image->ngroups; i++) {
		const struct dt_aggmaps *p = &s->groups[i];

		if (p->outer >= 0 && bpf_map_update_elem(p->outer, &(uint32_t){ 0 }, &p->fd[0], BPF_ANY) == 0)
			return 0;
	}
	return -EINVAL;
}

static int walk_group(struct dt_session *s, uint32_t i, struct walk w, uint32_t side)
{
	struct dt_aggmaps *p = &s->groups[i];

	w.maps = p;
	w.group = i;
	w.ncpus = p->percpu ? s->ncpus : 1;
	w.elem = (size_t)p->value_size * w.ncpus;
	w.fd = p->fd[p->is_array ? 0 : side];
	if (w.fd < 0)
		return -EINVAL;
	int err = p->is_array ? walk_cells(&w) : walk_hash(&w);

	return err ? err : w.ret;
}

/* A program that closes a generation at the same time may be quicker: then the next one is ours to close. */
static uint64_t close_generation(struct dt_control *c)
{
	uint64_t word = __atomic_load_n(&c->gen, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&c->gen, &word, (word + DT_GEN_NEXT) ^ 1, false, __ATOMIC_SEQ_CST,
	    __ATOMIC_RELAXED))
		;
	return word;
}

/* Where no program is attached, none can still be running. */
int dt_session_take(struct dt_session *s, struct dt_taken *taken, dt_aggcell_f *f, void *ctx)
{
	struct dt_control *c = s->control;
	struct walk w = { .s = s, .first = s->gen / DT_GEN_NEXT, .f = f, .ctx = ctx };
	uint64_t word;
	int err = 0;

	*taken = (struct dt_taken){ w.first - 1, dt_clock_ns() };
	if (!s->image->ngroups || !c)
		return 0;
	word = close_generation(c);
	taken->time = dt_clock_ns();	/* before the grace period: what began by now has ended after it */
	if (s->attached && (err = dt_agg_grace(s)) != 0)
		return err;
	dt_wall_settle(s);
	taken->gen = w.last = word / DT_GEN_NEXT;
	for (uint32_t i = 0; i < s->image->ngroups && !err; i++)
		err = walk_group(s, i, w, word & 1);
	s->gen = (word + DT_GEN_NEXT) ^ 1;
	__atomic_store_n(&c->taken, w.last + 1, __ATOMIC_RELEASE);
	return err;
}

bool dt_session_moments(const struct dt_session *s)
{
	const struct dt_control *c = s->control;

	return c && s->image->ngroups && __atomic_load_n(&c->gen, __ATOMIC_RELAXED) != s->gen;
}
