/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from byte keys to data, with removal, in order of insertion: dynamic variables and
 * aggregation elements. Entries do not move until they are removed, so pointers to their data stay. The table
 * owns its entries; what their data points to is the caller's to free.
 */
#include "base/hash.h"
#include "interp/state.h"

#include <stdlib.h>

static uint32_t hash_of(const void *key, uint32_t len) { return dt_hash_bytes(DT_HASH_START, key, len); }

struct dt_tab_entry *dt_tab_find(const struct dt_tab *tab, const void *key, uint32_t len)
{
	uint32_t hash = hash_of(key, len);

	if (!tab->nbucket)
		return NULL;
	for (struct dt_tab_entry *e = tab->bucket[hash % tab->nbucket]; e; e = e->chain) {
		if (e->hash == hash && e->keylen == len && memcmp(e->key, key, len) == 0)
			return e;
	}
	return NULL;
}

/* False: out of memory; the old table still works. */
static bool grow_table(struct dt_tab *tab)
{
	uint32_t n = tab->nbucket ? tab->nbucket * 2 : 64;
	struct dt_tab_entry **bucket = calloc(n, sizeof(*bucket));

	if (!bucket)
		return false;
	free(tab->bucket);
	tab->bucket = bucket;
	tab->nbucket = n;
	for (struct dt_tab_entry *e = tab->first; e; e = e->next) {
		e->chain = bucket[e->hash % n];
		bucket[e->hash % n] = e;
	}
	return true;
}

/* When the table cannot grow, chains get longer instead; only the first buckets are needed. */
struct dt_tab_entry *dt_tab_add(struct dt_tab *tab, const void *key, uint32_t len, size_t datasize)
{
	struct dt_tab_entry *e, **head;

	datasize = (datasize + 7) & ~(size_t)7;
	if (tab->n >= tab->nbucket && tab->nbucket < 1u << 24 && !grow_table(tab) && !tab->nbucket)
		return NULL;
	e = calloc(1, sizeof(*e) + datasize + len);
	if (!e)
		return NULL;
	e->key = (uint8_t *)e->data + datasize;
	memcpy(e->key, key, len);
	e->keylen = len;
	e->hash = hash_of(key, len);
	head = &tab->bucket[e->hash % tab->nbucket];
	e->chain = *head;
	*head = e;
	e->prev = tab->last;
	if (tab->last)
		tab->last->next = e;
	else
		tab->first = e;
	tab->last = e;
	tab->n++;
	return e;
}

/* e must be in this table, and is freed. */
void dt_tab_remove(struct dt_tab *tab, struct dt_tab_entry *e)
{
	struct dt_tab_entry **p = &tab->bucket[e->hash % tab->nbucket];

	while (*p != e)
		p = &(*p)->chain;
	*p = e->chain;
	if (e->prev)
		e->prev->next = e->next;
	else
		tab->first = e->next;
	if (e->next)
		e->next->prev = e->prev;
	else
		tab->last = e->prev;
	tab->n--;
	free(e);
}

void dt_tab_clear(struct dt_tab *tab)
{
	struct dt_tab_entry *next;

	for (struct dt_tab_entry *e = tab->first; e; e = next) {
		next = e->next;
		free(e);
	}
	free(tab->bucket);
	*tab = (struct dt_tab){ 0 };
}
