/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys come in, values go out. Every chain runs from its newest entry to its oldest, so dt_map_cut()
 * can unlink the newest entries without a search.
 */
#include "base/map.h"
#include "base/hash.h"

void dt_map_init(struct dt_map *m, struct dt_arena *arena)
{
	*m = (struct dt_map){ .arena = arena };
}

/* The entry of a key, or NULL; the key need not be NUL-terminated. */
static struct dt_map_entry *find_entry(const struct dt_map *m, const char *key, size_t len, uint32_t hash)
{
	struct dt_map_entry *e;

	if (!m->nbucket)
		return NULL;
	for (uint32_t i = m->bucket[hash & (m->nbucket - 1)]; i; i = e->next) {
		e = &m->v[i - 1];
		if (e->hash == hash && strncmp(e->key, key, len) == 0 && e->key[len] == '\0')
			return e;
	}
	return NULL;
}

void *dt_map_getn(const struct dt_map *m, const char *key, size_t len)
{
	const struct dt_map_entry *e = find_entry(m, key, len, dt_hash_bytes(DT_HASH_START, key, len));

	return e ? e->value : NULL;
}

void *dt_map_get(const struct dt_map *m, const char *key)
{
	return dt_map_getn(m, key, strlen(key));
}

static void link_entry(struct dt_map *m, uint32_t i)
{
	uint32_t *head = &m->bucket[m->v[i].hash & (m->nbucket - 1)];

	m->v[i].next = *head;
	*head = i + 1;
}

/*
 * As many buckets as entries: chains stay short. Memory may run out, a jump out of here, until the
 * first change is made.
 */
static void grow_map(struct dt_map *m)
{
	uint32_t cap = m->cap ? m->cap * 2 : 16;
	struct dt_map_entry *v = DT_NEWN(m->arena, struct dt_map_entry, cap);
	uint32_t *bucket = DT_NEWN(m->arena, uint32_t, cap);

	if (m->n)
		memcpy(v, m->v, m->n * sizeof(*v));
	m->v = v;
	m->cap = m->nbucket = cap;
	m->bucket = bucket;
	for (uint32_t i = 0; i < m->n; i++)
		link_entry(m, i);
}

void dt_map_put(struct dt_map *m, const char *key, void *value)
{
	size_t len = strlen(key);
	uint32_t hash = dt_hash_bytes(DT_HASH_START, key, len);
	struct dt_map_entry *e = find_entry(m, key, len, hash);

	if (e) {
		e->value = value;
		return;
	}
	if (m->n == m->cap)
		grow_map(m);
	m->v[m->n] = (struct dt_map_entry){ dt_arena_strndup(m->arena, key, len), value, hash, 0 };
	link_entry(m, m->n++);
}

void dt_map_cut(struct dt_map *m, uint32_t n)
{
	while (m->n > n) {
		const struct dt_map_entry *e = &m->v[--m->n];

		m->bucket[e->hash & (m->nbucket - 1)] = e->next;
	}
}
