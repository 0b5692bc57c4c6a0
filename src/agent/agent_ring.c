/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings: many threads write, dtrace reads (agent_read.c). A compare-and-swap of the producer position takes
 * the place of a record. A record never crosses the end of the ring: a filler that the reader skips comes
 * before it. A thread that dies between reserving and ending a record leaves a header that is 0 or BUSY;
 * the reader skips it when no firing of that time is under way any more.
 */
#include "agent/agent_impl.h"

enum { TRIES = 100000 };		/* of other threads that were faster, each of which made progress */

static void set_header(struct dt_agent_ring *r, uint64_t off, uint32_t word)
{
	uint32_t *head = (uint32_t *)(void *)(r->data + off);

	head[1] = (uint32_t)(((uint64_t)((uint8_t *)head - (uint8_t *)r)) / 8);
	__atomic_store_n(head, word, __ATOMIC_RELEASE);
}

void *dt_agent_ring_reserve(const struct dt_agent_map *m, struct dt_agent_ring *r, uint64_t size)
{
	uint64_t bytes = m->mask + 1, need = (size + DT_RING_HEADER + 7) & ~7ull;
	uint64_t at = __atomic_load_n(&r->producer, __ATOMIC_RELAXED), off, filler;

	if (size == 0 || size >= bytes)
		return NULL;
	for (int tries = 0; tries < TRIES; tries++) {
		uint64_t used = at - __atomic_load_n(&r->consumer, __ATOMIC_ACQUIRE);

		if (used > bytes) {	/* `at` is so old that the reader is past it */
			at = __atomic_load_n(&r->producer, __ATOMIC_RELAXED);
			continue;
		}
		off = at & m->mask;
		filler = off + need > bytes ? bytes - off : 0;
		if (filler + need > bytes - used)
			return NULL;
		if (!__atomic_compare_exchange_n(&r->producer, &at, at + filler + need, true,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		r->half = bytes / 2;
		if (filler) {
			set_header(r, off, (uint32_t)(filler - DT_RING_HEADER) | DT_RING_DISCARD);
			off = 0;
		}
		set_header(r, off, (uint32_t)size | DT_RING_BUSY);
		return r->data + off + DT_RING_HEADER;
	}
	return NULL;
}

bool dt_agent_ring_end(void *record, uint32_t bits, uint64_t data)
{
	uint32_t *head = (uint32_t *)(void *)((uint8_t *)record - DT_RING_HEADER);
	uint64_t distance = 8 * (uint64_t)__atomic_load_n(&head[1], __ATOMIC_RELAXED);
	struct dt_agent_ring *r = (struct dt_agent_ring *)(void *)((uint8_t *)head - distance);

	__atomic_store_n(head, (*head & ~DT_RING_BUSY) | bits, __ATOMIC_RELEASE);
	/* a process can write anything there, and dtrace runs this too: the ring must lie in the data */
	if (distance > (uint64_t)head - data || distance < sizeof(*r))
		return false;
	return __atomic_load_n(&r->producer, __ATOMIC_RELAXED) -
	    __atomic_load_n(&r->consumer, __ATOMIC_RELAXED) >= r->half;
}
