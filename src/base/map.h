/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one hash table: text keys to pointers, in insertion order, in an arena. dt_map_cut() forgets the
 * newest entries: this is how a failed compile is undone.
 */
#ifndef DT_BASE_MAP_H
#define DT_BASE_MAP_H

#include "base/arena.h"

#include <stdint.h>

struct dt_map_entry {
	const char *key;		/* the arena's copy */
	void *value;
	uint32_t hash;
	uint32_t next;			/* chain: index + 1, 0 ends */
};

struct dt_map {
	struct dt_arena *arena;
	struct dt_map_entry *v;		/* in insertion order */
	uint32_t n, cap;
	uint32_t *bucket;
	uint32_t nbucket;
};

void dt_map_init(struct dt_map *, struct dt_arena *);
void *dt_map_get(const struct dt_map *, const char *key);
void *dt_map_getn(const struct dt_map *, const char *key, size_t len);
void dt_map_put(struct dt_map *, const char *key, void *value);	/* copies the key; replaces a value */
void dt_map_cut(struct dt_map *, uint32_t n);			/* keeps the first n entries */

#endif
