/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of one aggregation to small numbers: the first time that the bytes of a key are seen they get the next
 * number, so that a snapshot costs a few bytes for each element, however long its stack is. A number is never
 * used for another key.
 */
#ifndef DT_SINK_KEYS_H
#define DT_SINK_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_key {
	void *bytes;
	size_t len;
	uint64_t hash;
	uint32_t number;
	/* for the caller: */
	uint64_t last;			/* hash of the value that was written last */
	uint32_t round;			/* snapshot it was seen in last */
	bool present;			/* readers have a value of it */
};

struct dt_keys {
	struct dt_key *v;		/* in no order after a removal */
	uint32_t n, cap, next;
	uint32_t *slot;			/* index + 1, by hash */
	uint32_t nslots;		/* a power of two */
};

uint64_t dt_keys_hash(const void *, size_t len);
/* Valid until the next call; *fresh: it is new. NULL: there are `max` already, or out of memory. */
struct dt_key *dt_keys_find(struct dt_keys *, const void *, size_t len, uint32_t max, bool *fresh);
/* Frees keys that are not present. False: out of memory; the table must not be used any more. */
bool dt_keys_remove_unused(struct dt_keys *);
void dt_keys_free(struct dt_keys *);

#endif
