/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to small numbers: the first time that bytes are seen they get the next number. Keys of aggregations
 * and addresses are named once by it, and are a number from then on.
 */
#ifndef DT_CMD_WEB_KEYS_H
#define DT_CMD_WEB_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key {
	void *bytes;
	size_t len;
	uint64_t hash;
	uint64_t last;			/* the value that was told last, as a hash; for the caller */
	uint32_t round;			/* when it was seen last; for the caller */
	bool shown;			/* the page knows a value of it; for the caller */
};

struct keys {
	struct key *v;
	uint32_t n, cap;
	uint32_t *slot;			/* number + 1, by hash */
	uint32_t nslots;		/* a power of two */
};

uint64_t keys_hash(const void *, size_t len);
/* The number; *fresh: it is new. UINT32_MAX: there are `most` already, or no memory is left. */
uint32_t keys_find(struct keys *, const void *, size_t len, uint32_t most, bool *fresh);
void keys_free(struct keys *);

#endif
