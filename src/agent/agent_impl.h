/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the agent share. All of it is freestanding: no libc, no thread-local data, no writable
 * data of its own, no allocation, no loop without a limit.
 */
#ifndef DT_AGENT_AGENT_IMPL_H
#define DT_AGENT_AGENT_IMPL_H

#include "agent/agent.h"
#include "machine/raw.h"

#include <asm/unistd.h>
#include <linux/errno.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- memory: words that may lie anywhere ---- */

typedef uint64_t __attribute__((may_alias, aligned(1))) dt_word;
typedef uint32_t __attribute__((may_alias, aligned(1))) dt_half;

static inline void dt_agent_copy(void *to, const void *from, uint64_t n)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	for (; n >= 32; n -= 32, t += 32, f += 32) {
		uint64_t a = *(const dt_word *)f, b = *(const dt_word *)(f + 8);
		uint64_t c = *(const dt_word *)(f + 16), d = *(const dt_word *)(f + 24);

		*(dt_word *)t = a, *(dt_word *)(t + 8) = b;
		*(dt_word *)(t + 16) = c, *(dt_word *)(t + 24) = d;
	}
	for (; n >= 8; n -= 8, t += 8, f += 8)
		*(dt_word *)t = *(const dt_word *)f;
	for (; n; n--)
		*t++ = *f++;
}

static inline void dt_agent_zero(void *to, uint64_t n)
{
	uint8_t *t = to;

	for (; n >= 8; n -= 8, t += 8)
		*(dt_word *)t = 0;
	for (; n; n--)
		*t++ = 0;
}

static inline bool dt_agent_same(const void *a, const void *b, uint32_t n)
{
	const uint8_t *x = a, *y = b;

	for (; n >= 8; n -= 8, x += 8, y += 8) {
		if (*(const dt_word *)x != *(const dt_word *)y)
			return false;
	}
	for (; n >= 4; n -= 4, x += 4, y += 4) {
		if (*(const dt_half *)x != *(const dt_half *)y)
			return false;
	}
	for (; n; n--) {
		if (*x++ != *y++)
			return false;
	}
	return true;
}

/* ---- entry_*.S ---- */

void dt_agent_entry(void);
void dt_agent_entry_bare(void);
/* Runs programs on the stack that ends at `top`; the value of the last one. */
uint64_t dt_agent_calls(struct dt_firing *, const struct dt_agent_call *, uint64_t top);

/* ---- agent_hash.c: the layout; src/agent/agent_read.c knows it too ---- */

/* The beginning of a hash: then comes a state for each bucket, and then the elements, key and values. */
struct dt_agent_hash {
	uint64_t count;			/* of elements, and of those that are being made */
	uint64_t spare[7];
	/* DT_STATE_…; a tag from bit 3 on; from bit 32 on how often it changed owners */
	uint64_t state[];
};
enum { DT_STATE_EMPTY, DT_STATE_BUSY, DT_STATE_NEW, DT_STATE_FULL, DT_STATE_DEAD, DT_STATE_MASK = 7 };

static inline uint64_t dt_agent_hash_values(const struct dt_agent_map *m)
{
	return m->type == DT_AGENT_CPU_HASH ? (uint64_t)m->stride * m->ncpus : m->stride;
}
static inline uint64_t dt_agent_hash_keysize(const struct dt_agent_map *m)
{
	return ((uint64_t)m->key_size + 7) & ~7ull;
}
static inline uint8_t *dt_agent_hash_element(const struct dt_agent_map *m, struct dt_agent_hash *h,
    uint64_t i)
{
	return (uint8_t *)&h->state[m->mask + 1] + i * (dt_agent_hash_keysize(m) + dt_agent_hash_values(m));
}

/* The values of a key, the first CPU's; NULL: there is no such element. */
void *dt_agent_hash_find(const struct dt_agent_map *, struct dt_agent_hash *, const void *key);
/* As bpf_map_update_elem(): 0 or -errno. The value is that of one CPU. */
int64_t dt_agent_hash_update(const struct dt_agent_map *, struct dt_agent_hash *, const void *key,
    const void *value, uint64_t flags, uint32_t cpu);
int64_t dt_agent_hash_delete(const struct dt_agent_map *, struct dt_agent_hash *, const void *key);

/* ---- agent_ring.c ---- */

/*
 * Positions only grow; `data` has map->mask + 1 bytes. A record has a header of 8 bytes: its length and bits,
 * and where the ring begins, in words below the header. 0: it was not written yet.
 */
struct dt_agent_ring {
	uint64_t consumer, pad[7];
	uint64_t producer, half, spare[6];
	uint8_t data[];
};
#define DT_RING_BUSY (1u << 31)
#define DT_RING_DISCARD (1u << 30)
enum { DT_RING_HEADER = 8 };

void *dt_agent_ring_reserve(const struct dt_agent_map *, struct dt_agent_ring *, uint64_t size);
/* Ends a record; true: half of the ring is used. data: where the shared data begins. */
bool dt_agent_ring_end(void *record, uint32_t bits, uint64_t data);

/* ---- agent_map.c, agent_ask.c ---- */

void dt_agent_wake_reader(const struct dt_agent_process *, struct dt_agent *);
/* After a firing: tells dtrace what comes from this site, and waits for it. */
void dt_agent_ask(const struct dt_firing *, const struct dt_agent_site *);

/* ---- agent_memory.c ---- */

/*
 * Memory of the process that was read in one piece. A loop has one, because walks read word after word of
 * the same stack, and each would be a system call. What a loop reads is thus of one moment.
 */
struct dt_agent_window { struct dt_agent_window *outer; uint64_t from, n, words[512]; };

/* The process whose memory and threads programs see, as system calls here know it. */
static inline uint32_t dt_agent_subject(const struct dt_firing *f)
{
	return f->process->sample ? f->process->sample->pid : f->process->self;
}

/* Reads memory of the process that may not be there: 0 or -EFAULT. */
int dt_agent_read(const struct dt_firing *, void *to, uint64_t from, uint64_t n);

#endif
