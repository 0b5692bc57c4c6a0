/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See keys.h. Open addressing over a dense array; removal compacts the array, numbers of keys do not change.
 */
#include "sink/keys.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time, mixed as splitmix64 does: stacks are long, and each is hashed every second. */
uint64_t dt_keys_hash(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = len * 0x9e3779b97f4a7c15u, w;

	for (; len > 0; p += 8, len -= len < 8 ? len : 8) {
		w = 0;
		memcpy(&w, p, len < 8 ? len : 8);
		h = (h ^ w) * 0xbf58476d1ce4e5b9u;
		h ^= h >> 31;
	}
	return h;
}

static bool grow_slots(struct dt_keys *k)
{
	uint32_t n = k->nslots >= 128 ? k->nslots * 2 : 256, *slot = calloc(n, sizeof(*slot));

	if (slot == NULL)
		return false;
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t at = (uint32_t)k->v[i].hash & (n - 1);

		while (slot[at] != 0)
			at = (at + 1) & (n - 1);
		slot[at] = i + 1;
	}
	free(k->slot);
	k->slot = slot;
	k->nslots = n;
	return true;
}

static bool grow(struct dt_keys *k)
{
	if (k->n == k->cap) {
		uint32_t cap = k->cap != 0 ? k->cap * 2 : 128;
		struct dt_key *v = reallocarray(k->v, cap, sizeof(*v));

		if (v == NULL)
			return false;
		k->v = v;
		k->cap = cap;
	}
	return k->n * 2 < k->nslots || grow_slots(k);
}

struct dt_key *dt_keys_find(struct dt_keys *k, const void *bytes, size_t len, uint32_t max, bool *fresh)
{
	uint64_t hash = dt_keys_hash(bytes, len);
	uint32_t at;
	void *copy;

	*fresh = false;
	for (at = (uint32_t)hash & (k->nslots - 1); k->nslots != 0 && k->slot[at] != 0;
	    at = (at + 1) & (k->nslots - 1)) {
		struct dt_key *old = &k->v[k->slot[at] - 1];

		if (old->hash == hash && old->len == len && memcmp(old->bytes, bytes, len) == 0)
			return old;
	}
	if (k->n >= max || !grow(k) || (copy = malloc(len != 0 ? len : 1)) == NULL)
		return NULL;
	memcpy(copy, bytes, len);
	k->v[k->n] = (struct dt_key){ .bytes = copy, .len = len, .hash = hash, .number = k->next++ };
	for (at = (uint32_t)hash & (k->nslots - 1); k->slot[at] != 0;)
		at = (at + 1) & (k->nslots - 1);
	k->slot[at] = ++k->n;
	*fresh = true;
	return &k->v[k->n - 1];
}

/* The table is rebuilt: the caller does this seldom. */
bool dt_keys_remove_unused(struct dt_keys *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n; i++)
		if (k->v[i].present)
			k->v[n++] = k->v[i];
		else
			free(k->v[i].bytes);
	k->n = n;
	k->nslots /= 2;
	return grow_slots(k);
}

void dt_keys_free(struct dt_keys *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		free(k->v[i].bytes);
	free(k->v);
	free(k->slot);
	*k = (struct dt_keys){ 0 };
}
