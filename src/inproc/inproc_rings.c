/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of the processes: one ring for each CPU. Each record is copied to the mirror of its ring before
 * anyone looks at it, since a process can change the original at any time, and stays there until it is
 * released. A ring whose words cannot be true is not read any more, and that is counted as a drop.
 */
#include "inproc/inproc.h"

#include "agent/agent_impl.h"
#include "agent/agent_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct dt_agent_ring *shared(const struct inproc *p, const struct inproc_ring *r)
{
	return inproc_at(p, r->desc.at);
}

int dt_inproc_open_rings(struct inproc *p)
{
	for (uint32_t i = 0; i < p->nrings; i++) {
		void *at = mmap(NULL, p->ring_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (at == MAP_FAILED)
			return -errno;
		p->ring[i].mirror = at;
	}
	p->over_seen = calloc(p->ncpus + 1u, sizeof(*p->over_seen));
	return p->over_seen != NULL ? 0 : -ENOMEM;
}

void dt_inproc_close_rings(struct inproc *p)
{
	for (uint32_t i = 0; i < p->nrings; i++)
		if (p->ring[i].mirror != NULL)
			munmap(p->ring[i].mirror, p->ring_size);
	free(p->ring);
	free(p->over_seen);
}

uint32_t dt_inproc_rings(struct dt_engine *e)
{
	const struct inproc *p = inproc_of(e);

	return p->opts.policy == DT_POLICY_RING ? p->ncpus : p->nrings;
}

int dt_inproc_ring_cpu(const struct dt_engine *e, uint32_t i)
{
	const struct inproc *p = inproc_of(e);

	return p->opts.policy == DT_POLICY_RING ? (int)i : p->ring[i].cpu;
}

uint64_t dt_inproc_room(struct dt_engine *e)
{
	const struct inproc *p = inproc_of(e);

	return p->ring_size != 0 ? p->ring_size : inproc_newest(p)->layouts.room;
}

uint64_t dt_inproc_range(struct dt_engine *e, uint32_t i, uint64_t *end)
{
	struct inproc *p = inproc_of(e);
	struct dt_agent_ring *s;
	uint64_t from;

	*end = 0;
	if (p->opts.policy == DT_POLICY_RING)
		return 0;
	s = shared(p, &p->ring[i]);
	if (!p->attached)		/* no firing is under way any more */
		dt_inproc_skip(p, i, dt_inproc_stuck(p, i));
	from = p->ring[i].pos;
	*end = __atomic_load_n(&s->producer, __ATOMIC_ACQUIRE);
	if (p->ring[i].broken || *end < from || *end - from > p->ring_size || *end % 8 != 0) {
		p->ring[i].broken = true;
		*end = from;
	}
	return from;
}

static bool is_whole(const struct inproc *p, const struct inproc_ring *r)
{
	uint64_t off = r->pos & (p->ring_size - 1);
	uint32_t head = __atomic_load_n((const uint32_t *)(const void *)(shared(p, r)->data + off),
	    __ATOMIC_ACQUIRE);

	return head != 0 && (head & DT_RING_BUSY) == 0;
}

uint64_t dt_inproc_stuck(const struct inproc *p, uint32_t i)
{
	const struct inproc_ring *r = &p->ring[i];
	uint64_t end = p->ring_size != 0 ? __atomic_load_n(&shared(p, r)->producer, __ATOMIC_ACQUIRE) : 0;

	return r->broken || end <= r->pos || end - r->pos > p->ring_size || is_whole(p, r) ? 0 : end - r->pos;
}

/* What a thread has begun that will never end it, since its process was killed: it counts as a drop. */
void dt_inproc_skip(struct inproc *p, uint32_t i, uint64_t used)
{
	struct inproc_ring *r = &p->ring[i];
	struct dt_agent_reader reader;

	if (used == 0 || dt_inproc_stuck(p, i) == 0)
		return;
	dt_agent_reader_init(&reader, p->base, &r->desc);
	reader.consumer = r->pos;
	if (dt_agent_ring_skip(&reader, used) > 0)
		r->lost++;
	r->pos = reader.consumer;
}

/* The length that a header tells, with the bits; false: no record can be so long there. */
static bool fits(const struct inproc *p, uint64_t pos, uint64_t end, uint32_t size)
{
	uint64_t off = pos & (p->ring_size - 1), total = ((uint64_t)size + DT_RING_HEADER + 7) & ~7ull;

	return total <= end - pos && off + total <= p->ring_size;
}

int dt_inproc_next(
    struct dt_engine *e, uint32_t i, uint64_t *pos, uint64_t end, const void **rec, size_t *len)
{
	struct inproc *p = inproc_of(e);
	struct inproc_ring *r = &p->ring[i];
	struct dt_agent_ring *s = shared(p, r);

	while (*pos < end && !r->broken) {
		uint64_t off = *pos & (p->ring_size - 1);
		uint32_t head =
		    __atomic_load_n((const uint32_t *)(const void *)(s->data + off), __ATOMIC_ACQUIRE);
		uint32_t size = head & ~(DT_RING_BUSY | DT_RING_DISCARD);

		if (head == 0 || (head & DT_RING_BUSY) != 0)
			return 0;
		if (!fits(p, *pos, end, size)) {
			r->broken = true;
			return 0;
		}
		*pos += ((uint64_t)size + DT_RING_HEADER + 7) & ~7ull;
		if ((head & DT_RING_DISCARD) != 0)
			continue;
		memcpy(r->mirror + off, s->data + off + DT_RING_HEADER, size);
		*rec = r->mirror + off;
		*len = size;
		return 1;
	}
	return 0;
}

/* A header of 0 means "not written yet", so what was read becomes zeros before it is given back. */
void dt_inproc_release(struct dt_engine *e, uint32_t i, uint64_t pos)
{
	struct inproc *p = inproc_of(e);
	struct inproc_ring *r = &p->ring[i];
	struct dt_agent_ring *s = shared(p, r);

	if (p->opts.policy == DT_POLICY_RING || pos <= r->pos)
		return;
	while (r->pos < pos) {
		uint64_t off = r->pos & (p->ring_size - 1), n = p->ring_size - off;

		n = n < pos - r->pos ? n : pos - r->pos;
		memset(s->data + off, 0, n);
		r->pos += n;
	}
	__atomic_store_n(&s->consumer, r->pos, __ATOMIC_RELEASE);
}

static int drain_over(struct inproc *p, uint32_t cpu, dt_ring_f *f, void *ctx)
{
	uint64_t room = inproc_newest(p)->layouts.room;
	int err = 0;

	for (uint32_t i = 0; i < p->nmaps; i++) {
		const struct dt_agent_map *m = &p->map[i].desc;

		if (p->image[0]->maps[i].role != DT_MAP_OVER || cpu >= m->max_entries ||
		    m->value_size < sizeof(struct dt_over) + room)
			continue;
		free(p->walk);
		p->walk = malloc(m->value_size + 8u);
		if (p->walk == NULL)
			return -ENOMEM;
		memcpy(p->walk, (uint8_t *)inproc_at(p, m->at) + (uint64_t)cpu * m->stride, m->value_size);
		err = dt_over_records(p->walk, m->value_size, room, &p->over_seen[cpu], f, ctx);
	}
	return err;
}

int dt_inproc_drain(struct dt_engine *e, uint32_t i, dt_ring_f *f, void *ctx)
{
	struct inproc *p = inproc_of(e);
	uint64_t end, pos;
	const void *rec;
	size_t len;
	int ret;

	if (i >= dt_inproc_rings(e))
		return -EINVAL;
	if (p->opts.policy == DT_POLICY_RING)
		return drain_over(p, i, f, ctx);
	pos = dt_inproc_range(e, i, &end);
	while ((ret = dt_inproc_next(e, i, &pos, end, &rec, &len)) > 0) {
		ret = f(ctx, rec, len);
		if (ret >= 0)
			dt_inproc_release(e, i, pos);
		if (ret != 0)
			return ret;
	}
	if (ret == 0)
		dt_inproc_release(e, i, pos);
	return ret;
}
