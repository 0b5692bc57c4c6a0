/* SPDX-License-Identifier: BSD-2-Clause */
#include "items.h"

#include <stdlib.h>
#include <string.h>

bool items_add(struct items *l, const void *bytes, size_t len)
{
	struct item *item = malloc(sizeof(*item) + len);

	if (l->n - l->gone == l->cap) {
		size_t cap = l->cap != 0 ? l->cap * 2 : 256;
		struct item **v = reallocarray(l->v, cap, sizeof(*v));

		if (v != NULL) {
			l->v = v;
			l->cap = cap;
		}
	}
	if (item == NULL || l->n - l->gone == l->cap) {
		free(item);
		return false;
	}
	item->len = len;
	memcpy(item->bytes, bytes, len);
	l->v[l->n++ - l->gone] = item;
	l->bytes += len;
	return true;
}

void items_forget(struct items *l, size_t most)
{
	while (l->bytes > most && l->first + 1 < l->n) {
		struct item *item = l->v[l->first++ - l->gone];

		l->bytes -= item->len;
		free(item);
	}
	if (l->first - l->gone > l->cap / 2) {
		memmove(l->v, l->v + (l->first - l->gone), (l->n - l->first) * sizeof(*l->v));
		l->gone = l->first;
	}
}

void items_free(struct items *l)
{
	for (size_t i = l->first; i < l->n; i++)
		free(l->v[i - l->gone]);
	free(l->v);
	*l = (struct items){ 0 };
}
