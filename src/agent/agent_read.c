/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace's side of hashes, rings and threads (agent_read.h); part of the library alone. */
#include "agent/agent_read.h"
#include "agent/agent_impl.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the memory of maps ---- */

static uint64_t power_of_two(uint64_t least)
{
	uint64_t n = 1;

	while (n < least)
		n *= 2;
	return n;
}

static uint64_t hash_size(struct dt_agent_map *m)
{
	/* at most half full, so that a key finds a place near its hash */
	m->mask = power_of_two(2ull * m->max_entries) - 1;
	return sizeof(struct dt_agent_hash) + (m->mask + 1) * (sizeof(uint64_t) + dt_agent_hash_keysize(m) +
	    dt_agent_hash_values(m));
}

static uint64_t ring_size(struct dt_agent_map *m)
{
	if (m->max_entries < 64 || m->max_entries > 1u << 30)
		return 0;		/* a length must leave room for the bits of a header */
	m->mask = power_of_two(m->max_entries) - 1;
	return sizeof(struct dt_agent_ring) + m->mask + 1;
}

uint64_t dt_agent_map_size(struct dt_agent_map *m)
{
	uint64_t n = m->max_entries;

	m->stride = (m->value_size + 7) & ~7u;
	m->mask = 0;
	if (m->value_size > 1u << 30 || m->key_size > 1u << 16 || m->max_entries > 1u << 30)
		return m->size = 0;
	switch (m->type) {
	case DT_AGENT_ARRAY: m->size = n * m->stride; break;
	case DT_AGENT_CPU_ARRAY: m->size = n * m->stride * m->ncpus; break;
	case DT_AGENT_HASH: case DT_AGENT_CPU_HASH: m->size = n ? hash_size(m) : 0; break;
	case DT_AGENT_RING: m->size = ring_size(m); break;
	case DT_AGENT_OF_MAPS: m->size = n * sizeof(uint64_t); break;
	case DT_AGENT_THREAD: m->size = DT_AGENT_THREADS * (sizeof(uint64_t) + m->stride); break;
	default: m->size = 0;
	}
	return m->size;
}

static void *memory(void *code, const struct dt_agent_map *m) { return (uint8_t *)code + m->at; }

/* ---- hashes ---- */

int dt_agent_hash_walk(void *code, const struct dt_agent_map *m, dt_agent_hash_f *f, void *ctx)
{
	struct dt_agent_hash *h = memory(code, m);
	uint64_t keysize = dt_agent_hash_keysize(m), size = keysize + dt_agent_hash_values(m);
	uint8_t *copy;
	int ret = 0;

	if (__atomic_load_n(&h->count, __ATOMIC_ACQUIRE) == 0)
		return 0;
	copy = malloc(size ? size : 1);
	if (!copy)
		return -ENOMEM;
	for (uint64_t i = 0; i <= m->mask && !ret; i++) {
		uint64_t state = __atomic_load_n(&h->state[i], __ATOMIC_ACQUIRE);

		if ((state & DT_STATE_MASK) != DT_STATE_FULL)
			continue;
		memcpy(copy, dt_agent_hash_element(m, h, i), size);
		ret = f(ctx, copy, copy + keysize);
	}
	free(copy);
	return ret;
}

void dt_agent_hash_clear(void *code, const struct dt_agent_map *m)
{
	struct dt_agent_hash *h = memory(code, m);

	for (uint64_t i = 0; i <= m->mask; i++) {
		if (__atomic_load_n(&h->state[i], __ATOMIC_RELAXED))
			__atomic_store_n(&h->state[i], 0, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&h->count, 0, __ATOMIC_RELEASE);
}

/* ---- rings ---- */

void dt_agent_reader_init(struct dt_agent_reader *r, void *code, const struct dt_agent_map *m)
{
	*r = (struct dt_agent_reader){ .map = m, .ring = memory(code, m) };
}

uint64_t dt_agent_ring_used(const struct dt_agent_reader *r)
{
	uint64_t used = __atomic_load_n(&r->ring->producer, __ATOMIC_ACQUIRE) - r->consumer;

	return used > r->map->mask + 1 ? r->map->mask + 1 : used & ~7ull;
}

/* What is in use, up to the end of the ring. */
static uint64_t piece(const struct dt_agent_reader *r)
{
	uint64_t used = dt_agent_ring_used(r), left = r->map->mask + 1 - (r->consumer & r->map->mask);

	return used < left ? used : left;
}

/* The bytes of a record with that header; 0: it is not ended, or the header is wrong. */
static uint64_t record_size(uint32_t head, uint64_t left)
{
	uint64_t len = head & ~(DT_RING_BUSY | DT_RING_DISCARD), size = (len + DT_RING_HEADER + 7) & ~7ull;

	return head == 0 || head & DT_RING_BUSY || size > left ? 0 : size;
}

static uint32_t header_at(const struct dt_agent_reader *r, uint64_t past)
{
	return __atomic_load_n((const uint32_t *)(const void *)(r->ring->data +
	    ((r->consumer + past) & r->map->mask)), __ATOMIC_ACQUIRE);
}

uint64_t dt_agent_ring_range(const struct dt_agent_reader *r)
{
	uint64_t all = piece(r), n = 0, size;

	while (n < all && (size = record_size(header_at(r, n), all - n)) != 0)
		n += size;
	return n;
}

void dt_agent_ring_copy(const struct dt_agent_reader *r, void *to, uint64_t n)
{
	uint64_t off = r->consumer & r->map->mask;

	memcpy(to, r->ring->data + off, n < r->map->mask + 1 - off ? n : r->map->mask + 1 - off);
}

bool dt_agent_ring_next(const void *copy, uint64_t n, uint64_t *at, const void **record, size_t *len)
{
	while (*at + DT_RING_HEADER <= n) {
		const uint8_t *rec = (const uint8_t *)copy + *at;
		uint64_t size;
		uint32_t head;

		memcpy(&head, rec, sizeof(head));
		size = record_size(head, n - *at);
		if (size == 0)
			return false;
		*at += size;
		if (head & DT_RING_DISCARD)
			continue;
		*record = rec + DT_RING_HEADER;
		*len = head;
		return true;
	}
	return false;
}

void dt_agent_ring_release(struct dt_agent_reader *r, uint64_t n)
{
	uint64_t off = r->consumer & r->map->mask, left = r->map->mask + 1 - off;

	n = n < left ? n : left;
	memset(r->ring->data + off, 0, n);
	r->consumer += n;
	__atomic_store_n(&r->ring->consumer, r->consumer, __ATOMIC_RELEASE);
}

uint64_t dt_agent_ring_skip(struct dt_agent_reader *r, uint64_t used)
{
	uint64_t all = piece(r), n;
	uint32_t head;

	all = all < used ? all : used & ~7ull;
	if (all == 0)
		return 0;
	head = header_at(r, 0);
	if (head & DT_RING_BUSY) {
		n = record_size(head & ~DT_RING_BUSY, all);
		n = n ? n : all;	/* a length that no agent wrote */
	} else if (head == 0) {
		/* it has no length yet, and its body is untouched: the next record begins at the next word */
		for (n = 8; n < all && header_at(r, n) == 0; n += 8)
			;
	} else {
		n = record_size(head, all) ? 0 : all;
	}
	if (n)
		dt_agent_ring_release(r, n);
	return n;
}

/* ---- threads ---- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool same_firing(const struct dt_agent_thread *t, uint64_t owner, uint64_t n)
{
	return (__atomic_load_n(&t->firing, __ATOMIC_ACQUIRE) |
	    __atomic_load_n(&t->light, __ATOMIC_ACQUIRE)) != 0 &&
	    __atomic_load_n(&t->n, __ATOMIC_RELAXED) == n &&
	    __atomic_load_n(&t->owner, __ATOMIC_RELAXED) == owner;
}

/*
 * A thread marks its slot and then reads what dtrace has written; on machines that let the reading come
 * first a fence in each firing would order the two (2.5 ns measured). Instead the kernel runs one on every
 * CPU here; where it does not, a store that is older than a millisecond is visible.
 */
static void fence_all(bool registered)
{
	struct timespec pause = { 0, 1000000 };
	int how = registered ? MEMBARRIER_CMD_GLOBAL_EXPEDITED : MEMBARRIER_CMD_GLOBAL;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (dt_raw_syscall(__NR_membarrier, (uint64_t)how, 0, 0, 0, 0, 0) < 0)
		nanosleep(&pause, NULL);
}

int dt_agent_grace(struct dt_agent *a, bool registered, uint64_t timeout_ns)
{
	uint64_t end = now_ns() + timeout_ns;
	struct timespec pause = { 0, 20000 };

	fence_all(registered);
	for (uint32_t i = 0; i < DT_AGENT_THREADS; i++) {
		const struct dt_agent_thread *t = &a->thread[i];
		uint64_t n = __atomic_load_n(&t->n, __ATOMIC_SEQ_CST);
		uint64_t owner = __atomic_load_n(&t->owner, __ATOMIC_RELAXED);

		/* a free slot may have the mark of a thread that has ended */
		while (owner != 0 && same_firing(t, owner, n)) {
			if (now_ns() > end)
				return -ETIMEDOUT;
			nanosleep(&pause, NULL);
		}
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return 0;
}

uint64_t dt_agent_under_way(const struct dt_agent *a)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < DT_AGENT_THREADS; i++) {
		const struct dt_agent_thread *t = &a->thread[i];

		n += __atomic_load_n(&t->owner, __ATOMIC_RELAXED) != 0 &&
		    (__atomic_load_n(&t->firing, __ATOMIC_RELAXED) |
		    __atomic_load_n(&t->light, __ATOMIC_RELAXED)) != 0;
	}
	return n;
}

void dt_agent_forget(struct dt_agent *a, uint32_t pid)
{
	for (uint32_t i = 0; i < DT_AGENT_THREADS; i++) {
		struct dt_agent_thread *t = &a->thread[i];

		if (__atomic_load_n(&t->owner, __ATOMIC_RELAXED) >> 32 != pid || pid == 0)
			continue;
		__atomic_store_n(&t->firing, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&t->light, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&t->owner, 0, __ATOMIC_RELEASE);
	}
}

uint64_t dt_agent_missed(const struct dt_agent *a)
{
	uint64_t sum = __atomic_load_n(&a->crowded, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < DT_AGENT_THREADS; i++)
		sum += __atomic_load_n(&a->thread[i].missed, __ATOMIC_RELAXED);
	return sum;
}
