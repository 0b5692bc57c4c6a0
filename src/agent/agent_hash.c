/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashes that the threads of several processes change at the same time, without locks: a thread that is
 * preempted or killed at any place here stops no other. Open addressing; a key lies in one of the WINDOW
 * buckets from its hash on. The state of a bucket goes
 *
 *	EMPTY or DEAD → BUSY	a thread writes key and value into it
 *	BUSY → NEW		they are written; another thread may be adding the same key elsewhere
 *	NEW → FULL		it is the only one
 *	NEW → DEAD		it was not; the other one is used
 *	FULL → DEAD		deleted
 *
 * A bucket never becomes EMPTY again (dtrace may clear a hash that no thread uses), so a key lies before
 * the first EMPTY one. Of two threads that add a key at the same time at least one sees the other's NEW or
 * FULL, because each looks only after it has made its own NEW: it changes one of the two to DEAD. Each
 * change of owner counts up the state, so that a compare-and-swap fails when the bucket was used again
 * meanwhile.
 *
 * As in the kernel, a pointer into an element that is deleted stays valid memory, which may be that of
 * another key by then.
 */
#include "agent/agent_impl.h"

#include <linux/bpf.h>

enum { WINDOW = 128, TRIES = 16, PATIENT_TRIES = 2 };
#define NONE UINT64_MAX
#define OWNERS (1ull << 32)
/* What finds a key is part of each function that does, so that a search stays in registers. */
#define HOT static inline __attribute__((always_inline))

struct search {
	const struct dt_agent_map *m;
	struct dt_agent_hash *h;
	const void *key;
	uint64_t first;			/* bucket */
	uint64_t window;
	uint64_t tag;			/* in its place of a state */
};

HOT struct search search_for(const struct dt_agent_map *m, struct dt_agent_hash *h, const void *key)
{
	const uint8_t *k = key;
	uint64_t sum = 0x9e3779b97f4a7c15ull;
	uint32_t n = m->key_size;

	for (; n >= 8; n -= 8, k += 8)
		sum = (sum ^ *(const dt_word *)k) * 0xff51afd7ed558ccdull, sum ^= sum >> 32;
	if (n >= 4) {
		sum = (sum ^ *(const dt_half *)k) * 0xff51afd7ed558ccdull, sum ^= sum >> 32;
		n -= 4, k += 4;
	}
	for (; n; n--)
		sum = (sum ^ *k++) * 0xff51afd7ed558ccdull;
	sum ^= sum >> 29;
	return (struct search){ m, h, key, sum & m->mask, m->mask < WINDOW ? m->mask + 1 : WINDOW,
		sum >> 35 << 3 };
}

static uint64_t *state_at(const struct search *s, uint64_t pos)
{
	return &s->h->state[(s->first + pos) & s->m->mask];
}

static uint8_t *element_at(const struct search *s, uint64_t pos)
{
	return dt_agent_hash_element(s->m, s->h, (s->first + pos) & s->m->mask);
}

static uint64_t kind_of(uint64_t state) { return state & DT_STATE_MASK; }

static bool has_tag(const struct search *s, uint64_t state)
{
	return (state & (OWNERS - 1 - DT_STATE_MASK)) == s->tag;
}

static bool change(uint64_t *at, uint64_t from, uint64_t kind)
{
	return __atomic_compare_exchange_n(at, &from, (from & ~(uint64_t)DT_STATE_MASK) | kind, false,
	    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* As dt_agent_same(); what is read later is not read before the element, whose words are aligned. */
HOT bool same_before(const uint8_t *element, const uint8_t *key, uint32_t n)
{
	typedef uint64_t __attribute__((may_alias)) word;
	typedef uint32_t __attribute__((may_alias)) half;

	for (; n >= 8; n -= 8, element += 8, key += 8) {
		if (__atomic_load_n((const word *)(const void *)element, __ATOMIC_ACQUIRE) !=
		    *(const dt_word *)key)
			return false;
	}
	for (; n >= 4; n -= 4, element += 4, key += 4) {
		if (__atomic_load_n((const half *)(const void *)element, __ATOMIC_ACQUIRE) !=
		    *(const dt_half *)key)
			return false;
	}
	for (; n; n--) {
		if (__atomic_load_n(element++, __ATOMIC_ACQUIRE) != *key++)
			return false;
	}
	return true;
}

/*
 * Whether a bucket in that state has the key; not when it changed while we looked. A fence between the two
 * would take 4 ns on a Neoverse V1.
 */
HOT bool has_key(const struct search *s, uint64_t pos, uint64_t state)
{
	return has_tag(s, state) && same_before(element_at(s, pos), s->key, s->m->key_size) &&
	    __atomic_load_n(state_at(s, pos), __ATOMIC_RELAXED) == state;
}

/* The position of the key, and the state it was seen in. */
HOT uint64_t find(const struct search *s, uint64_t *state)
{
	for (uint64_t pos = 0; pos < s->window; pos++) {
		*state = __atomic_load_n(state_at(s, pos), __ATOMIC_ACQUIRE);
		if (kind_of(*state) == DT_STATE_FULL && has_key(s, pos, *state))
			return pos;
		if (kind_of(*state) == DT_STATE_EMPTY)
			break;
	}
	return NONE;
}

void *dt_agent_hash_find(const struct dt_agent_map *m, struct dt_agent_hash *h, const void *key)
{
	struct search s = search_for(m, h, key);
	uint64_t state, pos = find(&s, &state);

	return pos == NONE ? NULL : element_at(&s, pos) + dt_agent_hash_keysize(m);
}

static void set_value(const struct search *s, uint64_t pos, const void *value, uint32_t cpu)
{
	uint8_t *to = element_at(s, pos) + dt_agent_hash_keysize(s->m);

	dt_agent_copy(to + (s->m->type == DT_AGENT_CPU_HASH ? (uint64_t)cpu * s->m->stride : 0), value,
	    s->m->value_size);
}

/* A bucket that is ours alone, BUSY: its position; NONE: the window is full. */
static uint64_t claim(const struct search *s, uint64_t *state)
{
	for (uint64_t pos = 0; pos < s->window; pos++) {
		uint64_t was = __atomic_load_n(state_at(s, pos), __ATOMIC_RELAXED);
		uint64_t busy = ((was & ~(OWNERS - 1)) + OWNERS) | s->tag | DT_STATE_BUSY;

		if (kind_of(was) != DT_STATE_EMPTY && kind_of(was) != DT_STATE_DEAD)
			continue;
		if (__atomic_compare_exchange_n(state_at(s, pos), &was, busy, false, __ATOMIC_SEQ_CST,
		    __ATOMIC_SEQ_CST)) {
			*state = busy;
			return pos;
		}
	}
	return NONE;
}

static void fill(const struct search *s, uint64_t pos, const void *value, uint32_t cpu)
{
	uint8_t *e = element_at(s, pos);

	dt_agent_copy(e, s->key, s->m->key_size);
	if (s->m->type == DT_AGENT_CPU_HASH)
		dt_agent_zero(e + dt_agent_hash_keysize(s->m), dt_agent_hash_values(s->m));
	set_value(s, pos, value, cpu);
}

/*
 * Looks for the same key in other buckets. false: ours is to go, another one is FULL, or NEW at a lower
 * position. A NEW one at a higher position goes itself; so does any after some tries: its thread may
 * be preempted for long.
 */
static bool stays(const struct search *s, uint64_t mine, int tries)
{
	for (uint64_t pos = 0; pos < s->window; pos++) {
		uint64_t state = __atomic_load_n(state_at(s, pos), __ATOMIC_SEQ_CST);

		if (kind_of(state) == DT_STATE_EMPTY)
			return true;
		if (pos == mine || (kind_of(state) != DT_STATE_NEW && kind_of(state) != DT_STATE_FULL))
			continue;
		if (!has_tag(s, state) || !dt_agent_same(element_at(s, pos), s->key, s->m->key_size))
			continue;
		if (kind_of(state) == DT_STATE_FULL || (pos < mine && tries < PATIENT_TRIES) ||
		    !change(state_at(s, pos), state, DT_STATE_DEAD))
			return false;
	}
	return true;
}

/* 1: it is added; 0: try again, another thread was adding the same key; or -errno. */
static int add(const struct search *s, const void *value, uint32_t cpu, int tries)
{
	uint64_t state, pos = claim(s, &state), fresh;

	if (pos == NONE)
		return -E2BIG;
	fresh = (state & ~(uint64_t)DT_STATE_MASK) | DT_STATE_NEW;
	fill(s, pos, value, cpu);
	__atomic_store_n(state_at(s, pos), fresh, __ATOMIC_SEQ_CST);
	if (stays(s, pos, tries))
		return change(state_at(s, pos), fresh, DT_STATE_FULL);
	change(state_at(s, pos), fresh, DT_STATE_DEAD);
	return 0;
}

/*
 * The key was not there, and there is room for it. 1: it is added now; 0: there was another one; or -errno.
 */
static int64_t add_or_set(const struct search *s, const void *value, uint64_t flags, uint32_t cpu)
{
	for (int tries = 0; tries < TRIES; tries++) {
		int ret = add(s, value, cpu, tries);
		uint64_t state, pos = ret ? NONE : find(s, &state);

		if (ret)
			return ret;
		if (pos != NONE && flags == BPF_NOEXIST)
			return -EEXIST;
		if (pos != NONE) {
			set_value(s, pos, value, cpu);
			return 0;
		}
	}
	return -EBUSY;
}

int64_t dt_agent_hash_update(const struct dt_agent_map *m, struct dt_agent_hash *h, const void *key,
    const void *value, uint64_t flags, uint32_t cpu)
{
	struct search s = search_for(m, h, key);
	uint64_t state, pos = find(&s, &state);
	int64_t ret;

	if (flags > BPF_EXIST)
		return -EINVAL;
	if (pos != NONE) {
		if (flags == BPF_NOEXIST)
			return -EEXIST;
		set_value(&s, pos, value, cpu);
		return 0;
	}
	if (flags == BPF_EXIST)
		return -ENOENT;
	ret = __atomic_fetch_add(&h->count, 1, __ATOMIC_RELAXED) < m->max_entries ?
	    add_or_set(&s, value, flags, cpu) : -E2BIG;
	if (ret != 1)
		__atomic_fetch_sub(&h->count, 1, __ATOMIC_RELAXED);
	return ret == 1 ? 0 : ret;
}

int64_t dt_agent_hash_delete(const struct dt_agent_map *m, struct dt_agent_hash *h, const void *key)
{
	struct search s = search_for(m, h, key);

	for (int tries = 0; tries < TRIES; tries++) {
		uint64_t state, pos = find(&s, &state);

		if (pos == NONE)
			return -ENOENT;
		if (change(state_at(&s, pos), state, DT_STATE_DEAD)) {
			__atomic_fetch_sub(&h->count, 1, __ATOMIC_RELAXED);
			return 0;
		}
	}
	return -EBUSY;
}
