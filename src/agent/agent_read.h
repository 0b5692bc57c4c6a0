/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace's side of the memory that it shares with agents. The other side may be hostile: it can write any
 * byte of data at any time. So descriptors of maps and positions are those that the caller has in private
 * memory, every number from data is bounded, and keys, values and records are copied before anything looks
 * at them. `code` is the address of code in the caller, as the process has it: data lies DT_AGENT_SPAN
 * bytes after it.
 */
#ifndef DT_AGENT_AGENT_READ_H
#define DT_AGENT_AGENT_READ_H

#include "agent/agent.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls f with private copies of key and values (of CPU_HASH: of all CPUs, `stride` apart) of each element,
 * until it returns other than 0, which is returned; or -errno. Exact after a grace period in which no
 * program uses the map; else an element that changes meanwhile may be given or not.
 */
typedef int dt_agent_hash_f(void *ctx, const void *key, const void *values);
int dt_agent_hash_walk(void *code, const struct dt_agent_map *, dt_agent_hash_f *, void *ctx);
/* Makes it empty. No program may use the map: only after a grace period. */
void dt_agent_hash_clear(void *code, const struct dt_agent_map *);

/*
 * A ring as its reader knows it. The consumer position is the reader's own; the ring has a copy for
 * writers.
 */
struct dt_agent_reader {
	const struct dt_agent_map *map;
	struct dt_agent_ring *ring;
	uint64_t consumer;
};
/* The ring must have been read by no other reader, or `consumer` be set to where that one stopped. */
void dt_agent_reader_init(struct dt_agent_reader *, void *code, const struct dt_agent_map *);
/* Bytes from the consumer on that are in use, written or not. */
uint64_t dt_agent_ring_used(const struct dt_agent_reader *);
/*
 * Bytes from the consumer on that are whole records, at most up to the end of the ring: read on after
 * releasing them. 0: no record is whole; with dt_agent_ring_used() other than 0 a thread is writing the next
 * one, or is dead.
 */
uint64_t dt_agent_ring_range(const struct dt_agent_reader *);
/* Copies the first n of them. */
void dt_agent_ring_copy(const struct dt_agent_reader *, void *to, uint64_t n);
/*
 * The next record of a private copy of n bytes, from *at on, which moves past it. false: there are no more.
 */
bool dt_agent_ring_next(const void *copy, uint64_t n, uint64_t *at, const void **record, size_t *len);
/* Gives n bytes back to writers. */
void dt_agent_ring_release(struct dt_agent_reader *, uint64_t n);
/*
 * Skips the record that a dead thread did not end. The caller has seen range() 0 and used() not, then
 * waited for a grace period (dt_agent_forget() for processes that have ended), then seen range() 0 again.
 * `used` is what used() said before that: later records may be those of live threads. Returns the bytes
 * skipped.
 */
uint64_t dt_agent_ring_skip(struct dt_agent_reader *, uint64_t used);

/*
 * Waits until each firing that was under way has ended: what dtrace wrote before is seen by all that run
 * after that. 0 or -ETIMEDOUT: a thread is stopped, or was killed in a firing (dt_agent_forget() helps).
 * registered: all processes have asked for MEMBARRIER_CMD_GLOBAL_EXPEDITED, which takes microseconds; the
 * barrier for all others takes 10 milliseconds and more.
 */
int dt_agent_grace(struct dt_agent *, bool registered, uint64_t timeout_ns);
uint64_t dt_agent_under_way(const struct dt_agent *);	/* firings that have not ended */
/* A process has ended: its threads' slots are free, and no grace period waits for them. */
void dt_agent_forget(struct dt_agent *, uint32_t pid);
/* Firings that were not run: nested ones, and those of threads without a slot. */
uint64_t dt_agent_missed(const struct dt_agent *);

#endif
