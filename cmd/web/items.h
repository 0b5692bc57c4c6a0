/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of bytes in the order in which they came, each with a number from 0. The oldest can be forgotten;
 * numbers stay what they are, so that readers need not be notified, and places are used again.
 */
#ifndef DT_CMD_WEB_ITEMS_H
#define DT_CMD_WEB_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

struct item { size_t len; char bytes[]; };

struct items {
	struct item **v;
	size_t n, cap, bytes;
	size_t first;			/* those before it are forgotten */
	size_t gone;			/* v begins with this one */
};

bool items_add(struct items *, const void *, size_t len);	/* false: out of memory */
/* Forgets the oldest until there are at most so many bytes; the newest one stays. */
void items_forget(struct items *, size_t most);
void items_free(struct items *);

static inline const struct item *items_at(const struct items *l, size_t number)
{
	return l->v[number - l->gone];
}

#endif
