/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads aggregations without losing or doubling anything, as session_aggs.c does with the kernel's: the
 * generation in use is closed and the side changed; when every firing that could have read the old word has
 * ended, the old side is read and emptied. What is read was copied first. A process that writes nonsense
 * makes its own numbers wrong: generations out of range are not followed.
 */
#include "inproc/inproc.h"

#include "agent/agent_read.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process that is stopped in a firing does not end it; later calls look whether it has. */
enum { GRACE_NS = 1000000000, AGAIN_NS = 10000000 };

struct walk {
	struct inproc *p;
	const struct dt_agent_map *map;
	uint32_t group;
	uint64_t first, last;		/* generations that are read */
	dt_aggcell_f *f;
	void *ctx;
	int ret;			/* f's first non-zero value */
};

static const struct dt_layouts *layouts_of(const struct walk *w) { return &inproc_newest(w->p)->layouts; }

static bool is_percpu(const struct walk *w)
{
	return w->map->type == DT_AGENT_CPU_HASH || w->map->type == DT_AGENT_CPU_ARRAY;
}

static void give_part(struct walk *w, const struct dt_aggcell *part)
{
	if (w->ret == 0)
		w->ret = w->f(w->ctx, part);
}

static uint32_t find_member(const struct walk *w, uint32_t member)
{
	const struct dt_layouts *l = layouts_of(w);
	uint32_t i = 0;

	while (i < l->naggs && (l->aggs[i].group != w->group || l->aggs[i].member != member))
		i++;
	return i;
}

/* The key's last word has the low bits of the generation's number. */
static int give_element(void *ctx, const void *key, const void *values)
{
	struct walk *w = ctx;
	struct dt_aggcell part = { .key = key, .words = values, .stride = w->map->stride / 8,
		.ncpus = is_percpu(w) ? w->p->ncpus : 1 };
	uint32_t word, bits = (1u << DT_GEN_KEY_BITS) - 1;

	memcpy(&word, (const char *)key + w->map->key_size - sizeof(word), sizeof(word));
	part.cpu = is_percpu(w) ? 0 : word & ((1u << DT_GEN_CPU_BITS) - 1);
	part.agg = find_member(w, word >> DT_GEN_CPU_BITS & (DT_GEN_MEMBERS - 1));
	part.gen = w->first + (((word >> (DT_GEN_SHIFT + 1)) - (uint32_t)w->first) & bits);
	if (part.gen > w->last)
		part.gen = w->first;
	if (part.agg < layouts_of(w)->naggs && part.cpu < w->p->ncpus)
		give_part(w, &part);
	return w->ret;
}

/* All aggregations in the cell of a generation, for all CPUs; the cell is emptied. */
static int walk_cells(struct walk *w)
{
	size_t words = w->map->stride / 8;
	int64_t *copy = calloc(w->p->ncpus + 1u, w->map->stride);

	free(w->p->walk);
	w->p->walk = copy;
	if (copy == NULL)
		return -ENOMEM;
	for (uint64_t gen = w->first; gen <= w->last && w->ret == 0; gen++) {
		uint64_t cell = gen & (w->map->max_entries - 1);

		for (uint32_t cpu = 0; cpu < w->p->ncpus; cpu++) {
			uint8_t *from = (uint8_t *)inproc_at(w->p, w->map->at) +
			    ((uint64_t)cpu * w->map->max_entries + cell) * w->map->stride;

			memcpy(copy + cpu * words, from, w->map->stride);
			memset(from, 0, w->map->stride);
		}
		for (uint32_t i = 0; i < layouts_of(w)->naggs; i++) {
			struct dt_aggcell part = { .agg = i, .gen = gen, .key = "",
				.words = copy + layouts_of(w)->aggs[i].base, .stride = (uint32_t)words,
				.ncpus = w->p->ncpus };

			if (layouts_of(w)->aggs[i].group == w->group)
				give_part(w, &part);
		}
	}
	free(copy);
	w->p->walk = NULL;
	return w->ret;
}

/* No firing uses this side any more. What f refuses is lost, as with the kernel's. */
static int take_hash(struct walk *w)
{
	int err = dt_agent_hash_walk(w->p->base, w->map, give_element, w);

	dt_agent_hash_clear(w->p->base, w->map);
	return err;
}

static int walk_map(struct walk *w)
{
	if (w->map->type == DT_AGENT_CPU_ARRAY)
		return walk_cells(w);
	return take_hash(w);
}

static bool is_read(const struct dt_image_map *m, uint64_t side)
{
	if (m->type == BPF_MAP_TYPE_PERCPU_ARRAY)
		return m->role == DT_MAP_AGG_A;
	return m->role == (side != 0 ? DT_MAP_AGG_B : DT_MAP_AGG_A);
}

static void close_generation(struct inproc *p)
{
	struct dt_control *c = p->control;
	uint64_t word = __atomic_load_n(&c->gen, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&c->gen, &word, (word + DT_GEN_NEXT) ^ 1, false, __ATOMIC_SEQ_CST,
	    __ATOMIC_RELAXED))
		;
	if (word < p->gen || (word - p->gen) / DT_GEN_NEXT > DT_GEN_LIMIT) {	/* not what programs write */
		word = p->gen;
		__atomic_store_n(&c->gen, (word + DT_GEN_NEXT) ^ 1, __ATOMIC_SEQ_CST);
	}
	p->closing = word;
	p->closing_time = dt_clock_ns();	/* what began by now has ended when it is read */
}

/*
 * A process that was killed does not end its firings: its slots are freed, and what it began to record is
 * skipped. false: firings are still under way.
 */
static bool wait_for_firings(struct inproc *p, uint64_t limit)
{
	bool ended = dt_inproc_forget_ended(p), all;

	for (uint32_t i = 0; ended && i < p->nrings; i++)
		p->ring[i].stuck = dt_inproc_stuck(p, i);
	all = dt_agent_grace(p->agent, p->registered, limit) == 0;
	for (uint32_t i = 0; all && ended && i < p->nrings; i++)
		dt_inproc_skip(p, i, p->ring[i].stuck);
	return all;
}

/* Reads the generations up to the one that was closed, which no firing uses any more. */
static int read_closed(struct inproc *p, dt_aggcell_f *f, void *ctx)
{
	struct walk w = { .p = p, .first = p->gen / DT_GEN_NEXT, .last = p->closing / DT_GEN_NEXT, .f = f,
		.ctx = ctx };
	int err = 0;

	for (uint32_t i = 0; i < p->nmaps && err == 0; i++) {
		const struct dt_image_map *m = &p->image[0]->maps[i];

		if ((m->role != DT_MAP_AGG_A && m->role != DT_MAP_AGG_B) || !is_read(m, p->closing & 1))
			continue;
		w.map = &p->map[i].desc;
		w.group = m->group;
		err = walk_map(&w);
	}
	p->gen = (p->closing + DT_GEN_NEXT) ^ 1;
	p->closed = false;
	__atomic_store_n(&p->control->taken, w.last + 1, __ATOMIC_RELEASE);
	return err;
}

/*
 * A firing that has not ended (its process is stopped, or gets no CPU) may still add to the side that was
 * closed: that is read by a later call, and until then no other side is closed.
 */
int dt_inproc_take(struct dt_engine *e, struct dt_taken *taken, dt_aggcell_f *f, void *ctx)
{
	struct inproc *p = inproc_of(e);
	uint64_t now = dt_clock_ns();
	int err = 0;
	bool late;

	*taken = (struct dt_taken){ p->gen / DT_GEN_NEXT - 1, now };
	if (p->image[0]->ngroups == 0 || p->control == NULL)
		return 0;
	do {
		late = p->closed;
		if (!late)
			close_generation(p);
		p->closed = true;
		if (p->attached && !wait_for_firings(p, late ? AGAIN_NS : GRACE_NS))
			break;
		err = read_closed(p, f, ctx);
	} while (late && err == 0);
	/* records do not wait for such a firing: a stopped process would stop all that is printed */
	*taken = (struct dt_taken){ p->gen / DT_GEN_NEXT - 1, p->closed ? now : p->closing_time };
	return err;
}

bool dt_inproc_moments(const struct dt_engine *e)
{
	const struct inproc *p = inproc_of(e);

	return p->control != NULL && p->image[0]->ngroups != 0 &&
	    __atomic_load_n(&p->control->gen, __ATOMIC_RELAXED) != p->gen;
}

int dt_inproc_drops(struct dt_engine *e, struct dt_drops *all)
{
	struct inproc *p = inproc_of(e);

	memset(all, 0, p->ncpus * sizeof(*all));
	for (uint32_t i = 0; i < p->nmaps; i++)
		for (uint32_t cpu = 0; p->image[0]->maps[i].role == DT_MAP_DROPS && cpu < p->ncpus; cpu++)
			memcpy(&all[cpu],
			    (uint8_t *)inproc_at(p, p->map[i].desc.at) +
				(uint64_t)cpu * p->map[i].desc.max_entries * p->map[i].desc.stride,
			    sizeof(all[cpu]));
	for (uint32_t i = 0; i < p->nrings; i++)
		all[p->ring[i].cpu > 0 ? p->ring[i].cpu : 0].principal += p->ring[i].lost + p->ring[i].broken;
	all[0].principal += p->unfinished;
	all[0].sample += dt_inproc_samples_lost(p);
	return 0;
}
