/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers for maps. A map is a descriptor in code, which no process can change; its memory is in data.
 * Arguments are those of the kernel's helpers, and so are the errors.
 */
#include "agent/agent_impl.h"
#include "agent/helpers.h"

#include <linux/bpf.h>
#include <linux/futex.h>

static const struct dt_agent_map *map_at(uint64_t at) { return (const struct dt_agent_map *)at; }
static void *memory(const struct dt_agent_map *m, const struct dt_firing *f)
{
	return (void *)(f->code + m->at);
}
static bool is_hash(const struct dt_agent_map *m)
{
	return m->type == DT_AGENT_HASH || m->type == DT_AGENT_CPU_HASH;
}

/* The index that a key of an array is; max_entries or more: the array has no such element. */
static uint64_t index_of(uint64_t key) { return *(const dt_half *)key; }

static uint8_t *array_value(const struct dt_agent_map *m, const struct dt_firing *f, uint64_t i)
{
	uint64_t first = m->type == DT_AGENT_CPU_ARRAY ? (uint64_t)f->cpu * m->max_entries : 0;

	return (uint8_t *)memory(m, f) + (first + i) * m->stride;
}

uint64_t dt_agent_map_lookup_elem(uint64_t map, uint64_t key, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	const struct dt_agent_map *m = map_at(map);
	uint64_t i, at;

	(void)c, (void)d, (void)e;
	if (is_hash(m)) {
		at = (uint64_t)dt_agent_hash_find(m, memory(m, f), (const void *)key);
		return at && m->type == DT_AGENT_CPU_HASH ? at + (uint64_t)f->cpu * m->stride : at;
	}
	i = index_of(key);
	if (i >= m->max_entries)
		return 0;
	if (m->type == DT_AGENT_ARRAY || m->type == DT_AGENT_CPU_ARRAY)
		return (uint64_t)array_value(m, f, i);
	if (m->type != DT_AGENT_OF_MAPS)
		return 0;
	at = __atomic_load_n((const uint64_t *)memory(m, f) + i, __ATOMIC_ACQUIRE);
	return at ? f->code + at : 0;
}

uint64_t dt_agent_map_update_elem(uint64_t map, uint64_t key, uint64_t value, uint64_t flags, uint64_t e,
    struct dt_firing *f)
{
	const struct dt_agent_map *m = map_at(map);
	uint64_t i;

	(void)e;
	if (is_hash(m))
		return (uint64_t)dt_agent_hash_update(m, memory(m, f), (const void *)key, (const void *)value,
		    flags, f->cpu);
	if (flags > BPF_EXIST || (m->type != DT_AGENT_ARRAY && m->type != DT_AGENT_CPU_ARRAY))
		return (uint64_t)-EINVAL;
	i = index_of(key);
	if (i >= m->max_entries)
		return (uint64_t)-E2BIG;
	if (flags == BPF_NOEXIST)
		return (uint64_t)-EEXIST;
	dt_agent_copy(array_value(m, f, i), (const void *)value, m->value_size);
	return 0;
}

uint64_t dt_agent_map_delete_elem(uint64_t map, uint64_t key, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	const struct dt_agent_map *m = map_at(map);

	(void)c, (void)d, (void)e;
	return (uint64_t)(is_hash(m) ? dt_agent_hash_delete(m, memory(m, f), (const void *)key) : -EINVAL);
}

/* Values of threads: for each slot the life of the thread that has it, and the value. */
uint64_t dt_agent_task_storage_get(uint64_t map, uint64_t task, uint64_t value, uint64_t flags, uint64_t e,
    struct dt_firing *f)
{
	const struct dt_agent_map *m = map_at(map);
	const struct dt_agent_sample *s = f->process->sample;
	uint32_t slot = s ? s->slot : f->slot;
	uint64_t *life = (uint64_t *)(void *)((uint8_t *)memory(m, f) + slot * (8ull + m->stride));
	uint64_t now = f->agent->thread[slot].life;

	(void)e;
	if (task != (uint64_t)f->thread || flags & ~(uint64_t)BPF_LOCAL_STORAGE_GET_F_CREATE)
		return 0;
	if (*life != now) {
		if (!(flags & BPF_LOCAL_STORAGE_GET_F_CREATE))
			return 0;
		if (value)
			dt_agent_copy(life + 1, (const void *)value, m->value_size);
		else
			dt_agent_zero(life + 1, m->stride);
		*life = now;
	}
	return (uint64_t)(life + 1);
}

/* ---- rings ---- */

/*
 * The reader has read `wake` before it looked at the rings: it sleeps only while that has the same value, and
 * not for long if a process must not wake it.
 */
void dt_agent_wake_reader(const struct dt_agent_process *p, struct dt_agent *a)
{
	__atomic_fetch_add(&a->wake, 1, __ATOMIC_SEQ_CST);
	if (!p->no_calls && __atomic_load_n(&a->sleeping, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(&a->sleeping, 0, __ATOMIC_SEQ_CST))
		dt_raw_syscall(__NR_futex, (uint64_t)&a->wake, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

static void end_record(void *record, uint32_t bits, uint64_t flags, struct dt_firing *f)
{
	bool half = dt_agent_ring_end(record, bits, f->process->data);

	if (flags & BPF_RB_FORCE_WAKEUP || (half && __atomic_load_n(&f->agent->sleeping, __ATOMIC_RELAXED)))
		dt_agent_wake_reader(f->process, f->agent);
}

uint64_t dt_agent_ringbuf_reserve(uint64_t map, uint64_t size, uint64_t flags, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	const struct dt_agent_map *m = map_at(map);

	(void)d, (void)e;
	return flags || m->type != DT_AGENT_RING ? 0 : (uint64_t)dt_agent_ring_reserve(m, memory(m, f), size);
}

uint64_t dt_agent_ringbuf_submit(uint64_t record, uint64_t flags, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)c, (void)d, (void)e;
	end_record((void *)record, 0, flags, f);
	return 0;
}

uint64_t dt_agent_ringbuf_discard(uint64_t record, uint64_t flags, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)c, (void)d, (void)e;
	end_record((void *)record, DT_RING_DISCARD, flags, f);
	return 0;
}

uint64_t dt_agent_ringbuf_output(uint64_t map, uint64_t from, uint64_t size, uint64_t flags, uint64_t e,
    struct dt_firing *f)
{
	const struct dt_agent_map *m = map_at(map);
	void *record;

	(void)e;
	if (flags & ~(uint64_t)(BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP) || m->type != DT_AGENT_RING)
		return (uint64_t)-EINVAL;
	record = dt_agent_ring_reserve(m, memory(m, f), size);
	if (!record)
		return (uint64_t)-EAGAIN;
	dt_agent_copy(record, (const void *)from, size);
	end_record(record, 0, flags, f);
	return 0;
}
